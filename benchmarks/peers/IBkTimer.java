import java.io.BufferedReader;
import java.io.FileReader;
import weka.classifiers.lazy.IBk;
import weka.core.Instances;

/** Prints the seconds that Weka's IBk takes for all rows of a test file: IBkTimer TRAIN.arff TEST.arff K. */
public class IBkTimer {
    public static void main(String[] arguments) throws Exception {
        Instances train = read(arguments[0]);
        Instances test = read(arguments[1]);
        IBk model = new IBk(Integer.parseInt(arguments[2]));
        model.buildClassifier(train);
        double sum = 0;
        for (int i = 0; i < Math.min(20, test.numInstances()); i++) {
            sum += model.distributionForInstance(test.instance(i))[0];
        }
        long start = System.nanoTime();
        for (int i = 0; i < test.numInstances(); i++) {
            sum += model.distributionForInstance(test.instance(i))[0];
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.err.println(sum);
        System.out.println(seconds);
    }

    private static Instances read(String path) throws Exception {
        try (BufferedReader reader = new BufferedReader(new FileReader(path))) {
            Instances rows = new Instances(reader);
            rows.setClassIndex(rows.numAttributes() - 1);
            return rows;
        }
    }
}
