import java.io.BufferedReader;
import java.io.FileReader;
import java.util.Locale;
import weka.classifiers.functions.LinearRegression;
import weka.classifiers.lazy.LWL;
import weka.core.Instances;
import weka.core.SelectedTag;
import weka.core.neighboursearch.KDTree;

/**
 * Predicts all rows of a test file by Weka's LWL with a tricube kernel and plain linear regression: LWLTimer TRAIN.arff
 * TEST.arff K LINEAR|TREE. Prints the root mean square error, then the seconds.
 */
public class LWLTimer {
    public static void main(String[] arguments) throws Exception {
        Instances train = read(arguments[0]);
        Instances test = read(arguments[1]);
        LinearRegression line = new LinearRegression();
        line.setAttributeSelectionMethod(
                new SelectedTag(LinearRegression.SELECTION_NONE, LinearRegression.TAGS_SELECTION));
        line.setEliminateColinearAttributes(false);
        LWL model = new LWL();
        model.setClassifier(line);
        model.setKNN(Integer.parseInt(arguments[2]));
        model.setWeightingKernel(2);
        if (arguments[3].equals("TREE")) {
            model.setNearestNeighbourSearchAlgorithm(new KDTree());
        }
        model.buildClassifier(train);
        for (int i = 0; i < Math.min(20, test.numInstances()); i++) {
            model.classifyInstance(test.instance(i));
        }
        double squares = 0;
        long start = System.nanoTime();
        for (int i = 0; i < test.numInstances(); i++) {
            double error = model.classifyInstance(test.instance(i)) - test.instance(i).classValue();
            squares += error * error;
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.println(String.format(Locale.ROOT, "%.6f", Math.sqrt(squares / test.numInstances())));
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
