"""What a strategy calls `wallets`."""

from shim.wanted import Unsupported


class Wallets:
    """The account of the backtest. The product does not hand it over to strategies."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise Unsupported(f"It asks for the account (wallets.{name}), which is not offered.")
