"""Weka's LWL with NaiveBayes and with Logistic, where its definitions are ours: see `LocallyWeightedClassifier`."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from priorcase.local import LocalLogistic, LocallyWeightedClassifier, LocalNaiveBayes

JAR = Path("/usr/share/java/weka.jar")
pytestmark = [
    pytest.mark.peers,
    pytest.mark.skipif(
        not JAR.exists() or shutil.which("javac") is None,
        reason="no weka or no JDK here (Debian: apt-get install weka default-jdk-headless)",
    ),
]

PROGRAM = """
import java.io.FileReader;
import weka.classifiers.lazy.LWL;
import weka.core.Instances;
import weka.core.Utils;

public class Lwl {
    public static void main(String[] a) throws Exception {
        Instances train = read(a[0]), test = read(a[1]);
        LWL model = new LWL();
        model.setOptions(Utils.splitOptions(a[2]));
        model.buildClassifier(train);
        for (int i = 0; i < test.numInstances(); i++) {
            StringBuilder line = new StringBuilder();
            for (double p : model.distributionForInstance(test.instance(i))) line.append(p).append(' ');
            System.out.println(line);
        }
    }

    private static Instances read(String path) throws Exception {
        Instances rows = new Instances(new FileReader(path));
        rows.setClassIndex(rows.numAttributes() - 1);
        return rows;
    }
}
"""


@dataclass(frozen=True)
class WekaLinear:
    """Weka's linear kernel."""

    compact: ClassVar[bool] = False

    def __call__(self, u: Any) -> Any:
        return 1.0001 - u


def weka(folder: Path, X: pd.DataFrame, y: Any, queries: pd.DataFrame, options: str) -> Any:
    """The probabilities that LWL gives for some queries, classes in ascending order."""
    classes = sorted(set(y))
    for name, frame, of in (("train", X, y), ("test", queries, [classes[0]] * len(queries))):
        lines = ["@relation rows"]
        for column in X:
            text = X[column].dtype == object
            lines.append(f"@attribute {column} " + (f"{{{','.join(sorted(set(X[column])))}}}" if text else "numeric"))
        lines += [
            f"@attribute target {{{','.join(classes)}}}",
            "@data",
            frame.assign(target=of).to_csv(header=False, index=False),
        ]
        (folder / f"{name}.arff").write_text("\n".join(lines), encoding="utf-8")
    (folder / "Lwl.java").write_text(PROGRAM, encoding="utf-8")
    command = ["java", "-cp", str(JAR), str(folder / "Lwl.java")]
    command += [str(folder / "train.arff"), str(folder / "test.arff"), options]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    return np.array([[float(word) for word in line.split()] for line in done.stdout.splitlines()])


@pytest.fixture
def endgames(data_dir: Path) -> tuple[pd.DataFrame, Any, pd.DataFrame]:
    """Tic-tac-toe: nine nominal columns without gaps; every twentieth row is a query."""
    frame = pd.read_csv(data_dir / "tic-tac-toe.csv", dtype=object)
    frame.columns = [*(f"x{a}" for a in range(9)), "target"]
    asked = np.arange(len(frame)) % 20 == 0
    X, y = frame.drop(columns="target"), frame["target"].to_numpy()
    return X[~asked], y[~asked], X[asked]


def test_local_naive_bayes_on_nominal_columns(endgames: Any, tmp_path: Path) -> None:
    X, y, queries = endgames
    told = weka(tmp_path, X, y, queries, "-K 100 -U 5 -W weka.classifiers.bayes.NaiveBayes")
    model = LocallyWeightedClassifier(100, kernel="uniform", prior=1.0, model=LocalNaiveBayes(prior=1.0)).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(queries), told, rtol=1e-9)


def test_local_naive_bayes_with_a_kernel_differs_in_what_the_priors_are_weighed_against(
    endgames: Any, tmp_path: Path
) -> None:
    """Weka's weights add up to the number of rows: the same as smaller priors beside the effective number."""
    X, y, queries = endgames
    told = weka(tmp_path, X, y, queries[:6], "-K -1 -U 0 -W weka.classifiers.bayes.NaiveBayes")
    plain = LocallyWeightedClassifier("all", kernel=WekaLinear()).fit(X, y)
    for i in range(6):
        query = queries[i : i + 1]
        share = float(plain.effective_neighbors(query)[0]) / len(X)
        assert share < 1
        same = LocallyWeightedClassifier("all", kernel=WekaLinear(), prior=share, model=LocalNaiveBayes(prior=share))
        np.testing.assert_allclose(same.fit(X, y).predict_proba(query)[0], told[i], rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "reach"),
    [
        ("-K 200 -U 5", {"n_neighbors": 200, "kernel": "uniform"}),
        ("-K -1 -U 0", {"n_neighbors": "all", "kernel": WekaLinear()}),
    ],
)
def test_local_logistic_regression_with_hardly_any_ridge(options: str, reach: dict[str, Any], tmp_path: Path) -> None:
    """On columns whose classes overlap; Weka penalizes the slopes of all classes but one, and stops at a few digits."""
    table = load_breast_cancer()
    X = pd.DataFrame(table.data[:, [1, 4, 8]], columns=["texture", "smoothness", "symmetry"])
    y = np.array(["malignant", "benign"])[table.target]
    inner = (X.quantile(0.02) < X).all(axis=1) & (X.quantile(0.98) > X).all(axis=1)  # Weka widens ranges by the query
    asked = inner.to_numpy() & (np.arange(len(X)) % 9 == 0)
    told = weka(
        tmp_path, X[~asked], y[~asked], X[asked], f"{options} -W weka.classifiers.functions.Logistic -- -R 1e-8"
    )
    model = LocallyWeightedClassifier(model=LocalLogistic(ridge=1e-4), prior=None, **reach).fit(X[~asked], y[~asked])
    assert len(told) > 30
    np.testing.assert_allclose(model.predict_proba(X[asked]), told, atol=1e-3)
