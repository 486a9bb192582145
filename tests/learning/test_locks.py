"""The lock of estimators and indexes: re-entrant, free in a forked child, and released by interrupts."""

import copy
import dis
import os
import pickle
import signal
import sys
import threading
import time

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


def use(lock):
    before = len("a")
    with lock:
        inside = len("ab")
    return before + inside


def leaving(code):
    """Instructions that end the block and call ``__exit__``, where only a tracer can raise an error.

    They load constants: nothing is allocated, and Python looks at signals only after the call.
    """
    found = list(dis.get_instructions(code))
    end = next(i for i, one in enumerate(found) if one.argval == "inside" and one.opname.startswith("STORE")) + 1
    call = next(i for i, one in enumerate(found) if i >= end and one.opname == "CALL")
    return {one.offset for one in found[end : call + 1]}


def test_an_error_at_any_line_or_instruction_releases_it():
    outside, held, n, done = leaving(use.__code__), 0, 0, False
    while not done:
        n, lock, left = n + 1, Lock(), [n + 1]

        def trace(frame, event, arg, lock=lock, left=left):
            nonlocal held
            if frame.f_code is not use.__code__:
                return None
            frame.f_trace_opcodes = True
            if event in ("line", "opcode") and frame.f_lasti not in outside:
                left[0] -= 1
                if left[0] == 0:
                    held += not is_free(lock)
                    raise KeyboardInterrupt
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            done = use(lock) == 3
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        assert is_free(lock), n
    assert n > 15
    assert held > 5


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this platform")
def test_a_signal_at_any_time_releases_it():
    lock, interrupts = Lock(), 0

    def interrupt(*_):
        raise KeyboardInterrupt

    def spin():  # the jump back to a `while` is outside a `try` around it, from Python 3.13 on
        end = time.monotonic() + 30
        while time.monotonic() < end:
            use(lock)

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for i in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-5 * (1 + i % 20))
                spin()
            except KeyboardInterrupt:
                interrupts += 1
            assert is_free(lock)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupts == 300


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
