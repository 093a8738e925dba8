import gc


def test_the_garbage_collector_runs_once_the_shop_is_loaded():
    assert gc.isenabled()
