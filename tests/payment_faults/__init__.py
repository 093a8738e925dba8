"""The thirty-five fault cases of payments, each found by its number: ``grep -rn test_case_17 tests/payment_faults``.

* A test is named ``test_case_<NN>_<what_happens>`` (two digits); its docstring begins with the sentence of the case,
  the fault and what must happen. A case may have several tests; files gather the cases of one theme.
* Stripe is the sandbox process, asked over HTTP through the real library (fixture ``fake_stripe``); its clock, its
  faults and what the customer does there are steered by ``fake_stripe.control(...)``. Nothing is faked that the
  sandbox can do.
* What races runs in real threads (``tests.races.concurrency``) or processes, and stands beside a control that takes
  the lock or the constraint away and shows what then goes wrong.
* A refusal also asserts that nothing changed: ``outcomes.rows()`` before and after. ``outcomes`` also says what a
  confirmed, a cancelled and a waiting order look like, to the last row. Wait for events, never for time.
"""
