"""Leader, ISR and ELR when brokers stop and start; that the next one leads: test_when_a_broker_stops.py."""

from kafka_emulator.replicas import Change, Partition, changed, led_by

FULL = Partition(1, 0, (1, 2, 3), (1, 2, 3))


def after(state: Partition, *changes: tuple[str, int], min_isr: int = 2, elr: bool = True) -> Partition:
    for kind, broker in changes:
        state = changed(state, Change(kind, broker), min_isr, elr=elr)  # type: ignore[arg-type]
    return state


ALL = (("stop", 3), ("stop", 2), ("stop", 1))


def test_below_min_isr_who_left_is_eligible() -> None:
    """KIP-966: the ISR becomes empty, and an eligible replica is elected."""
    assert after(FULL, *ALL[:2]) == Partition(1, 0, (1, 2, 3), (1,), elr=(2,), offline=(2, 3))
    for changes, expected in ((ALL, (-1, (), (2, 1), (1,))), ((*ALL, ("start", 2)), (2, (2,), (1,), ()))):
        state = after(FULL, *changes)
        assert (state.leader, state.isr, state.elr, state.last_known_elr) == expected


def test_without_elr_the_last_member_stays_and_all_come_back() -> None:
    state = after(FULL, *ALL, elr=False)
    assert (state.leader, state.isr, state.elr, state.last_known_elr) == (-1, (1,), (), ())
    assert after(state, ("start", 3), elr=False).leader == -1
    assert after(state, ("start", 3), ("start", 1), elr=False).isr == (1, 3)
    back = after(FULL, *ALL, *(("start", one) for _, one in reversed(ALL)))
    assert (back.leader, back.isr, back.elr, back.offline) == (1, (1, 2, 3), (), ())


def test_a_replica_joins_by_being_in_sync_or_made_the_leader() -> None:
    moving = Partition(1, 0, (1, 2, 3), (1, 2), adding=(3,))
    assert after(moving, ("stop", 3), ("start", 3)).isr == (1, 2)
    assert led_by(FULL, 2) == Partition(2, 1, (1, 2, 3), (1, 2, 3))
    assert led_by(FULL, 4) == Partition(4, 1, (1, 2, 3, 4), (1, 2, 3, 4))
