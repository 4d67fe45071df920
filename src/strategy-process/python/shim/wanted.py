"""What a strategy asks for in the middle of an answer. No `except Exception` of a strategy's file swallows these."""


class Wanted(BaseException):
    """Something the product has and has not handed over yet; the question is asked again with it."""

    def __init__(self, what):
        super().__init__(str(what))
        self.what = what


class Unsupported(BaseException):
    """Something the product does not offer to strategies, in a sentence."""
