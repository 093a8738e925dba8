"""What the law fixes for a seller in France: constants, because no setting may change them."""

HOME_COUNTRY = "FR"
"""Where the seller is: its law, its holidays, the delivery that the catalogue promises."""

WITHDRAWAL_DAYS = 14
"""To withdraw, from the day after the last parcel (Code de la consommation, L221-18)."""

RETURN_DAYS = 14
"""To send the pieces back, from the declaration (L221-23)."""

REFUND_DAYS = 14
"""To give the money back, from the declaration (L221-24)."""
