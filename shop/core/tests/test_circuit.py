"""Calls to a provider that is silent are not made: threads are for customers."""

from contextlib import suppress
from threading import Event, Thread

import pytest

from shop.core.circuit import CallRefused, Circuit


class Nothing(Exception):
    """No answer."""


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def circuit(clock) -> Circuit:
    return Circuit((Nothing,), places=2, queue=0.0, clock=clock)


def give_up(circuit: Circuit, clock: Clock, after: float = 10.0) -> None:
    with suppress(Nothing), circuit.call():
        clock.now += after
        raise Nothing


def is_open(circuit: Circuit) -> bool:
    try:
        with circuit.call():
            return True
    except CallRefused:
        return False


def test_three_silences_in_a_row_close_the_way_for_ten_seconds(circuit, clock):
    give_up(circuit, clock)
    give_up(circuit, clock)
    clock.now += 5
    give_up(circuit, clock)
    assert not is_open(circuit)
    clock.now += 9.9
    assert not is_open(circuit)
    clock.now += 0.2
    assert is_open(circuit)
    assert is_open(circuit)


def test_one_call_tries_alone_and_its_silence_closes_the_way_again(circuit, clock):
    for _ in range(3):
        give_up(circuit, clock)
    clock.now += 10
    with suppress(Nothing), circuit.call():
        assert not is_open(circuit)
        clock.now += 10
        raise Nothing
    assert not is_open(circuit)
    clock.now += 10
    with circuit.call():
        assert not is_open(circuit)
    assert is_open(circuit)


@pytest.mark.parametrize("answer", [None, ValueError("refused")])
def test_an_answer_between_them_begins_the_count_again(circuit, clock, answer):
    give_up(circuit, clock)
    give_up(circuit, clock)
    if answer is None:
        assert is_open(circuit)
    else:
        with pytest.raises(ValueError, match="refused"), circuit.call():
            raise answer
    give_up(circuit, clock)
    assert is_open(circuit)


def test_silences_far_apart_do_not_add_up(circuit, clock):
    give_up(circuit, clock)
    give_up(circuit, clock)
    clock.now += 55
    give_up(circuit, clock)
    assert is_open(circuit)


def test_connections_refused_at_once_hold_nobody(circuit, clock):
    for _ in range(10):
        give_up(circuit, clock, after=0.1)
    assert is_open(circuit)


def test_as_many_wait_for_an_answer_as_there_are_places_and_nobody_else(circuit):
    with circuit.call(), circuit.call():
        assert not is_open(circuit)
    assert is_open(circuit)


def test_who_waits_in_the_queue_gets_the_next_place():
    circuit = Circuit((Nothing,), places=1, queue=30.0)
    entered, leave = Event(), Event()

    def call() -> None:
        with circuit.call():
            entered.set()
            assert leave.wait(30)

    first = Thread(target=call)
    first.start()
    assert entered.wait(30)
    leave_soon = Thread(target=leave.set)
    leave_soon.start()
    assert is_open(circuit)
    first.join(30)
    leave_soon.join(30)


def test_a_trial_that_is_refused_at_once_lets_the_next_one_try(circuit, clock):
    for _ in range(3):
        give_up(circuit, clock)
    clock.now += 10
    give_up(circuit, clock, after=0.0)
    with circuit.call():
        assert not is_open(circuit)
    assert is_open(circuit)
