"""The lock of estimators and indexes: re-entrant, free in a forked child, and released by interrupts."""

import copy
import os
import pickle
import threading

import pytest

from priorcase._locks import Lock

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")


def in_child(question):
    """What a forked child answers to a question, True or False; fails where the child hangs."""
    child = os.fork()
    if child == 0:
        os._exit(int(question()))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def is_free(lock):
    taken = []

    def take():
        taken.append(lock.acquire(blocking=False))
        if taken[0]:
            lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return taken[0]


def test_it_excludes_other_threads_and_is_re_entrant():
    lock = Lock()
    with lock, lock:
        assert not is_free(lock)
    assert is_free(lock)
    assert not lock.held_at_fork


def test_an_exception_releases_it():
    lock = Lock()
    with pytest.raises(KeyboardInterrupt), lock:
        raise KeyboardInterrupt
    assert is_free(lock)


def test_copies_are_locks_of_their_own():
    lock = Lock()
    with lock:
        assert all(is_free(other) for other in (copy.deepcopy(lock), copy.copy(lock), pickle.loads(pickle.dumps(lock))))


@needs_fork
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12 warns of threads and forks
def test_a_lock_held_by_another_thread_is_free_in_a_child_and_says_so():
    lock, free = Lock(), Lock()
    held, done = threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        assert in_child(lambda: lock.held_at_fork and lock.acquire(blocking=False))
        assert in_child(lambda: not free.held_at_fork and free.acquire(blocking=False))
    finally:
        done.set()
        thread.join()
    assert not lock.held_at_fork
    assert is_free(lock)


@needs_fork
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_lock_held_by_the_forking_thread_stays_with_it():
    lock = Lock()
    with lock:
        assert in_child(lambda: not lock.held_at_fork and not is_free(lock))
    assert is_free(lock)
