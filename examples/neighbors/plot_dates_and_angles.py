"""
Predict from a date and a time of day
=====================================

A timestamp is one column, but it contains several parts: the date, the hour and the weekday. Hours
and weekdays are cyclic: eleven at night and one in the morning are two hours apart, not 22. How do
you choose the parts that matter?

We look at a taxi stand, where most calls come around midnight, especially on Friday and Saturday
nights. The table is generated here, so that the true mean is known.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import priorcase as pc

rng = np.random.default_rng(0)
minutes = np.sort(rng.choice(26 * 7 * 24 * 60, 600, replace=False))  # half a year
time = pd.Timestamp("2024-01-01") + pd.to_timedelta(minutes, unit="min")


def hour_of(time):
    """Return the time of day in hours."""
    return time.hour + time.minute / 60


def mean_calls(time):
    """Return the true mean number of calls per hour, which peaks at half past midnight."""
    weekend = (time - pd.Timedelta(hours=12)).day_of_week.isin([4, 5])
    return 4 + np.where(weekend, 36, 16) * np.exp(4 * (np.cos(2 * np.pi * (hour_of(time) - 0.5) / 24) - 1))


calls = rng.poisson(mean_calls(time))

# %%
# We compare times in four ways: by the elapsed time, by the time of day on a circle of 24 hours, by
# the hour and the weekday, and by ``Date()``. ``Date()`` uses all parts in which the dates differ:
# here the elapsed time, the weekday and the hour. We predict the calls for every quarter of an hour
# of the following week.
week = pd.date_range("2024-07-01 12:00", periods=7 * 96, freq="15min")
descriptions = {
    'Date("elapsed")': pc.Date(("elapsed",)),
    "Circular(24), hours": pc.Circular(24),
    'Date("hour", "weekday")': pc.Date(("hour", "weekday")),
    "Date()": pc.Date(),
}
predicted = {}
for name, kind in descriptions.items():
    past, new = (hour_of(time), hour_of(week)) if kind == pc.Circular(24) else (time, week)
    model = pc.KNNRegressor("loo", schema={"time": kind}).fit(pd.DataFrame({"time": past}), calls)
    predicted[name] = model.predict(pd.DataFrame({"time": new}))
    error = np.sqrt(np.mean((predicted[name] - mean_calls(week)) ** 2))
    print(f"{name:24} {model.n_neighbors_:2} neighbors, root mean squared error {error:4.2f} calls an hour")

# %%
# With the hours alone, the predictions are the same every day. With the weekday, the model finds
# the two busy nights. The elapsed time is not useful here. It also makes ``Date()`` less accurate,
# because recent rows count as closer.
fig, ax = plt.subplots(figsize=(9.5, 4.2), layout="constrained")
ax.plot(week, mean_calls(week), color="#767676", linewidth=4, alpha=0.4, label="true mean")
for name, color, line in (
    ("Circular(24), hours", "#0072B2", "--"),
    ('Date("hour", "weekday")', "#D55E00", "-"),
):
    ax.plot(week, predicted[name], line, color=color, label=name)
days = pd.date_range("2024-07-02", periods=7)
ax.set_xticks(days, [f"{day:%a}\n0:00" for day in days])
ax.set(xlabel="time", ylabel="calls an hour")
ax.set_title("Calls at a taxi stand, predicted for one week", loc="left")
ax.legend(loc="upper left")
plt.show()
