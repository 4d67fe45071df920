"""
Makes a database of freqtrade by freqtrade's own classes, and prints what freqtrade itself says of it: its statistics, and its trades.

Usage: python history.py DATABASE.sqlite spot|futures COUNT SEED [--keep-open SECONDS]
With --keep-open it stays open, writing a trade again and again, as a bot that runs; it says "ready" when the first trades are there.
"""

import json
import logging
import random
import sys
import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

logging.disable(logging.WARNING)

from freqtrade.enums import TradingMode  # noqa: E402
from freqtrade.persistence import Order, Trade, init_db  # noqa: E402
from freqtrade.persistence.key_value_store import set_startup_time  # noqa: E402
from freqtrade.rpc import RPC  # noqa: E402

file, mode, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
is_futures = mode == "futures"
chance = random.Random(seed)
begin = datetime(2025, 1, 3, 4, 5, 6, 789012, tzinfo=UTC)
numbers = iter(range(1, 10**9))


def fill(trade, side, amount, price, at, kind="limit", fee_base=None, funding=None):
    """An order that is placed and filled, as the exchange reports it."""
    number = str(next(numbers))
    report = {
        "id": number,
        "symbol": trade.pair,
        "type": kind,
        "side": "sell" if side == "stoploss" and not trade.is_short else "buy" if side == "stoploss" else side,
        "price": price,
        "average": price,
        "amount": amount,
        "filled": amount,
        "remaining": 0.0,
        "cost": amount * price,
        "status": "closed",
        "timestamp": int(at.timestamp() * 1000),
        "lastTradeTimestamp": int(at.timestamp() * 1000),
    }
    order = Order.parse_from_ccxt_object(report, trade.pair, side, amount, price)
    order.ft_fee_base = fee_base
    trade.orders.append(order)
    if funding is not None:
        trade.set_funding_fees(funding)
    trade.update_trade(order)


def wait(trade, side, amount, price, at):
    """An order that is placed and not filled."""
    report = {
        "id": str(next(numbers)),
        "symbol": trade.pair,
        "type": "limit",
        "side": side,
        "price": price,
        "amount": amount,
        "filled": 0.0,
        "remaining": amount,
        "status": "open",
        "timestamp": int(at.timestamp() * 1000),
    }
    trade.orders.append(Order.parse_from_ccxt_object(report, trade.pair, side, amount, price))


def make(number, at, is_open=False):
    base = chance.choice(["BTC", "ETH", "SOL", "XRP"])
    price = round(chance.uniform(0.2, 60000), 4)
    leverage = float(chance.choice([1, 2, 3, 5])) if is_futures else 1.0
    is_short = is_futures and chance.random() < 0.5
    amount = round(100 * leverage / price, 6) or 0.000001
    trade = Trade(
        exchange="binance",
        pair=f"{base}/USDT:USDT" if is_futures else f"{base}/USDT",
        base_currency=base,
        stake_currency="USDT",
        stake_amount=amount * price / leverage,
        amount=amount,
        amount_requested=amount,
        open_rate=price,
        open_rate_requested=price,
        open_date=at,
        fee_open=chance.choice([0.001, 0.00075, 0.0005]),
        fee_close=chance.choice([0.001, 0.00075, 0.0004]),
        is_open=True,
        strategy="SampleStrategy",
        enter_tag=chance.choice(["dip", None, "a tag, with \"signs\""]),
        timeframe=5,
        trading_mode=TradingMode.FUTURES if is_futures else TradingMode.SPOT,
        leverage=leverage,
        is_short=is_short,
        liquidation_price=price * (1.3 if is_short else 0.7) if is_futures else None,
        amount_precision=0.000001,
        price_precision=0.0001,
        precision_mode=4,
        precision_mode_price=4,
        contract_size=1.0,
    )
    Trade.session.add(trade)
    enter, leave = ("sell", "buy") if is_short else ("buy", "sell")
    trade.adjust_stop_loss(price, -0.1, initial=True)
    if is_open and chance.random() < 0.3:
        wait(trade, enter, amount, price, at)
        Trade.commit()
        return trade
    # Of what is bought on spot, some exchanges keep their fee.
    fee_base = round(amount * 0.001, 8) if not is_futures and chance.random() < 0.2 else None
    fill(trade, enter, amount, price, at, fee_base=fee_base)
    funding = (lambda: round(chance.uniform(-0.4, 0.3), 10)) if is_futures else (lambda: None)
    later = at
    for _ in range(chance.choice([0, 0, 0, 1, 2])):
        later += timedelta(minutes=chance.randint(5, 300))
        fill(trade, enter, round(amount * chance.uniform(0.2, 1), 6), round(price * chance.uniform(0.9, 1.05), 4), later, funding=funding())
    for _ in range(chance.choice([0, 0, 1, 2])):
        later += timedelta(minutes=chance.randint(5, 300))
        part = round(trade.amount * chance.uniform(0.1, 0.5), 6)
        if 0 < part < trade.amount * 0.9:
            fill(trade, leave, part, round(price * chance.uniform(0.95, 1.08), 4), later, funding=funding())
    if is_open:
        if chance.random() < 0.5:
            wait(trade, leave, trade.amount, price * 1.1, later)
        Trade.commit()
        return trade
    later += timedelta(minutes=chance.randint(1, 4000))
    reason = chance.choice(["roi", "stop_loss", "trailing_stop_loss", "exit_signal", "force_exit", "stoploss_on_exchange", "my own exit"])
    trade.exit_reason = reason
    left = round(price * chance.uniform(0.85, 1.15), 4)
    fill(trade, "stoploss" if reason == "stoploss_on_exchange" else leave, trade.amount, left, later, funding=funding())
    assert not trade.is_open, trade
    Trade.commit()
    return trade


def statistics():
    """What freqtrade answers to /profit, from its own code; balance and rates, which need an exchange, are given."""
    rpc = RPC.__new__(RPC)
    rpc._fiat_converter = None
    wallets = SimpleNamespace(get_starting_balance=lambda: 1000.0, get_total_stake_amount=lambda: 1000.0)
    exchange = SimpleNamespace(get_rate=lambda *_, **__: 1.0)
    rpc._freqtrade = SimpleNamespace(wallets=wallets, exchange=exchange)
    return rpc._rpc_trade_statistics("USDT", "")


init_db(f"sqlite:///{file}")
set_startup_time()
at = begin
for number in range(count):
    make(number, at)
    at += timedelta(minutes=chance.randint(1, 2000))
for number in range(3):
    make(count + number, at, is_open=True)
    at += timedelta(minutes=7)

found = statistics()
closed = Trade.get_trades([Trade.is_open.is_(False)]).all()
print(
    json.dumps(
        {
            "statistics": {name: found[name] for name in ("profit_closed_coin", "profit_closed_ratio_sum", "closed_trade_count", "winning_trades", "losing_trades")},
            "trades": [
                {
                    "id": trade.id,
                    "pair": trade.pair,
                    "isShort": trade.is_short,
                    "profitAbs": trade.close_profit_abs,
                    "profitRatio": trade.close_profit,
                    "funding": trade.funding_fees,
                    "open": int(trade.open_date_utc.timestamp() * 1000),
                    "close": int(trade.close_date_utc.timestamp() * 1000),
                }
                for trade in closed
            ],
            "open": [trade.id for trade in Trade.get_open_trades()],
            "pairs": {pair["pair"]: pair["profit_abs"] for pair in Trade.get_overall_performance()},
        }
    ),
    flush=True,
)

if "--keep-open" in sys.argv:
    until = time.monotonic() + float(sys.argv[sys.argv.index("--keep-open") + 1])
    print("ready", flush=True)
    while time.monotonic() < until:
        make(0, at)
        at += timedelta(minutes=1)
