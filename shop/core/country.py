"""Where the seller is: its law, its holidays, the delivery that the catalogue promises."""

HOME_COUNTRY = "FR"
