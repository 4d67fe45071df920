import type { FuturesAccount } from '../account/futures/futures-account.ts';
import { bracketOf } from '../account/futures/brackets.ts';
import { initialMargin, liquidationPrice, maintenanceMargin, marginSummary, orderMarginOf } from '../account/futures/margin.ts';
import { absolute, type FuturesPosition, unrealized } from '../account/futures/position.ts';
import { coin, product, textOf } from '../account/money.ts';

/** The average price at which a position was entered. */
export function entryPrice({ amount, cost }: FuturesPosition): bigint {
  return amount === 0n ? 0n : (cost * coin) / absolute(amount);
}

/** A row of `positionRisk`, version 3. */
export function positionRow(account: FuturesAccount, position: FuturesPosition) {
  const pair = account.pair(position.symbol);
  const markOf = (symbol: string) => account.mark(symbol);
  const mark = markOf(position.symbol);
  const entry = entryPrice(position);
  const profit = unrealized(position, mark);
  const fee = (entry * 5n) / 10_000n;
  const margin = initialMargin(position, mark);
  const orders = orderMarginOf(account.rows, position.symbol, mark);
  return {
    symbol: position.symbol,
    positionSide: 'BOTH',
    positionAmt: textOf(position.amount, pair.amountDecimals),
    entryPrice: textOf(entry),
    breakEvenPrice: textOf(position.amount === 0n ? 0n : position.amount > 0n ? entry + fee : entry - fee),
    markPrice: textOf(mark),
    unRealizedProfit: textOf(profit),
    liquidationPrice: textOf(liquidationPrice(account.rows, pair, position, markOf)),
    isolatedMargin: position.isolated === 0n ? '0' : textOf(position.isolated + profit),
    notional: textOf(product(mark, position.amount)),
    marginAsset: pair.quote,
    isolatedWallet: position.isolated === 0n ? '0' : textOf(position.isolated),
    initialMargin: textOf(margin + orders),
    maintMargin: textOf(maintenanceMargin(position, mark)),
    positionInitialMargin: textOf(margin),
    openOrderInitialMargin: textOf(orders),
    adl: 1,
    bidNotional: '0',
    askNotional: '0',
    updateTime: position.updateTime,
  };
}

/** A row of `positionRisk`, version 2. */
export function positionRowV2(account: FuturesAccount, position: FuturesPosition) {
  const row = positionRow(account, position);
  const {
    initialMargin: _i,
    maintMargin: _m,
    positionInitialMargin: _p,
    openOrderInitialMargin: _o,
    adl,
    bidNotional: _b,
    askNotional: _a,
    marginAsset: _s,
    ...shared
  } = row;
  const most = bracketOf(product(account.mark(position.symbol), absolute(position.amount))).cap;
  return {
    ...shared,
    leverage: String(position.leverage),
    maxNotionalValue: textOf(most, 0),
    marginType: position.marginType,
    isAutoAddMargin: 'false',
    isolated: position.marginType === 'isolated',
    adlQuantile: adl,
  };
}

/** The answer of `account`, version 3. */
export function futuresAccountAnswer(account: FuturesAccount) {
  const { rows } = account;
  const markOf = (symbol: string) => account.mark(symbol);
  const times = [...rows.fills.rows(), ...rows.income.rows()].map(({ time }) => time);
  const updateTime = times.reduce((a, b) => Math.max(a, b), 1);
  const assets = [...rows.balances.rows()].map(({ asset }) => ({ asset, ...marginSummary(rows, asset, markOf) }));
  const sum = (part: (asset: (typeof assets)[number]) => bigint) => textOf(assets.reduce((total, asset) => total + part(asset), 0n));
  return {
    totalInitialMargin: sum(({ positionMargin, orderMargin }) => positionMargin + orderMargin),
    totalMaintMargin: sum(({ maintenance }) => maintenance),
    totalWalletBalance: sum(({ wallet }) => wallet),
    totalUnrealizedProfit: sum((asset) => asset.unrealized),
    totalMarginBalance: sum((asset) => asset.wallet + asset.unrealized),
    totalPositionInitialMargin: sum(({ positionMargin }) => positionMargin),
    totalOpenOrderInitialMargin: sum(({ orderMargin }) => orderMargin),
    totalCrossWalletBalance: sum(({ crossWallet }) => crossWallet),
    totalCrossUnPnl: sum(({ crossUnrealized }) => crossUnrealized),
    availableBalance: sum(({ available }) => available),
    maxWithdrawAmount: sum(({ available }) => available),
    assets: assets.map((asset) => ({
      asset: asset.asset,
      walletBalance: textOf(asset.wallet),
      unrealizedProfit: textOf(asset.unrealized),
      marginBalance: textOf(asset.wallet + asset.unrealized),
      maintMargin: textOf(asset.maintenance),
      initialMargin: textOf(asset.positionMargin + asset.orderMargin),
      positionInitialMargin: textOf(asset.positionMargin),
      openOrderInitialMargin: textOf(asset.orderMargin),
      crossWalletBalance: textOf(asset.crossWallet),
      crossUnPnl: textOf(asset.crossUnrealized),
      availableBalance: textOf(asset.available),
      maxWithdrawAmount: textOf(asset.available),
      updateTime,
    })),
    positions: rows.held().map((position) => {
      const {
        symbol,
        positionSide,
        positionAmt,
        unRealizedProfit,
        isolatedMargin,
        notional,
        isolatedWallet,
        initialMargin: initial,
        maintMargin,
      } = positionRow(account, position);
      return {
        symbol,
        positionSide,
        positionAmt,
        unrealizedProfit: unRealizedProfit,
        isolatedMargin,
        notional,
        isolatedWallet,
        initialMargin: initial,
        maintMargin,
        updateTime: position.updateTime,
      };
    }),
  };
}
