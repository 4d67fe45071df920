import type { Fill } from '#engine/account/fill.ts';
import type { Trade } from '#engine/account/trade.ts';
import type { BotEffect } from '#engine/bot/effect.ts';
import type { BotState } from '#engine/bot/state.ts';
import { toStoredMemory } from '#engine/bot/stored-state.ts';
import { to8Decimals } from '#engine/market/rounding.ts';
import { mails } from '#mail/texts.ts';
import type { DecisionRow } from '#storage/bots/decisions.ts';
import type { NewEntry } from '#storage/limits/limits.ts';
import type { PnlSnapshot } from '#storage/bots/pnl-snapshots.ts';
import type { ImportedSums, StepWrites } from '#storage/bots/running-bots.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import type { ClosedTrade } from '#storage/trades/trade-writes.ts';
import type { TimesInForce } from '../orders/planned-orders.ts';
import type { TradeContext } from './trade-rows.ts';
import { stepNotices } from './step-notices.ts';
import { tradeMessages } from './trade-messages.ts';
import { tradeIdOf, tradeRows } from './trade-rows.ts';

/** What a runner knows of a bot while its steps are written. */
export interface BotFacts {
  botId: string;
  nickname: string;
  ownerEmail: string;
  mode: TradeMode;
  epoch: string;
  startingBalance: string;
  stakeCurrency: string;
  imported: ImportedSums; // in addition to the sums of its own trades
  versions: { bot: number; strategy: number }; // of the settings in force
  timeInForce: TimesInForce;
}

/** Sums over the closed trades that a bot has made itself, kept up with its steps. Money in stake currency. */
export interface BotSums {
  profit: number;
  fees: number;
  wins: number;
  trades: number;
}

/** Whether a step has changed anything that must be on the disk before the bot continues. Prices seen can wait. */
export function mustBeWritten(before: BotState, effects: readonly BotEffect[]): boolean {
  return effects.some((effect) => {
    if (effect.kind === 'decision') return false;
    if (effect.kind !== 'trade-updated') return true;
    const old = before.trades.find(({ id }) => id === effect.trade.id);
    return (
      old === undefined ||
      old.stop !== effect.trade.stop ||
      old.amount !== effect.trade.amount ||
      old.fundingFees !== effect.trade.fundingFees
    );
  });
}

/** The rows that a step leaves behind, and the sums after it. */
export function stepWrites(
  facts: BotFacts,
  state: BotState,
  effects: readonly BotEffect[],
  sums: BotSums,
  circumstances: { confidenceOf: (trade: Trade) => number | null; unrealizedPnl: number; latencyMs: number | null; now: number },
): { writes: StepWrites; sums: BotSums } {
  type Ending = 'cancelled' | 'failed';
  const latest = new Map<number, { trade: Trade; without: Ending | null }>(); // without a fill, how it has ended
  const refused = new Set<number>(); // trades of which the exchange has refused an order
  const cancelledOrders: string[] = [];
  const closedTrades: Trade[] = [];
  const corrected: Extract<BotEffect, { kind: 'trade-corrected' }>[] = [];
  let paused: StepWrites['paused'] = null;
  for (const effect of effects) {
    if (effect.kind === 'trade-opened' || effect.kind === 'trade-updated')
      latest.set(effect.trade.id, { trade: effect.trade, without: null });
    if (effect.kind === 'trade-corrected') {
      latest.set(effect.trade.id, { trade: effect.trade, without: null });
      corrected.push(effect);
    }
    if (effect.kind === 'trade-closed') {
      latest.set(effect.trade.id, { trade: effect.trade, without: null });
      closedTrades.push(effect.trade);
    }
    if (effect.kind === 'trade-cancelled')
      latest.set(effect.trade.id, { trade: effect.trade, without: refused.has(effect.trade.id) ? 'failed' : 'cancelled' });
    if (effect.kind === 'order-cancelled') cancelledOrders.push(effect.order.id);
    if (effect.kind === 'order-cancelled' && effect.reason === 'refused') refused.add(effect.tradeId);
    if (effect.kind === 'bot-paused') paused = mails.botPaused(facts.ownerEmail, facts.nickname, effect.losses, facts.mode);
  }
  // An order may have been made or filled without an effect of its trade: what the state holds is the truth.
  for (const trade of state.trades)
    if (effects.some((effect) => 'tradeId' in effect && effect.tradeId === trade.id)) latest.set(trade.id, { trade, without: null });

  const context = (trade: Trade): TradeContext => ({
    botId: facts.botId,
    mode: facts.mode,
    epoch: facts.epoch,
    versions: facts.versions,
    timeInForce: facts.timeInForce,
    confidence: circumstances.confidenceOf(trade),
    latencyMs: circumstances.latencyMs ?? 0,
  });
  const trades = [...latest.values()].map(({ trade, without }) => {
    const rows = tradeRows(trade, context(trade));
    return without === null ? rows : { ...rows, trade: { ...rows.trade, status: without, closedAt: new Date(circumstances.now) } };
  });
  const feesOf = (trade: Trade): string => String(tradeRows(trade, context(trade)).trade.fees);
  const closed: ClosedTrade[] = closedTrades.map((trade) => ({
    botId: facts.botId,
    mode: facts.mode,
    startingBalance: facts.startingBalance,
    profit: trade.profit ?? 0,
    fees: feesOf(trade),
    closedAt: new Date(trade.closeTime ?? circumstances.now),
  }));
  const after: BotSums = {
    profit: state.closedProfit,
    fees: [
      ...closedTrades.map((trade) => Number(feesOf(trade))),
      ...corrected.map(({ fill, trade }) => (fill === null ? 0 : feeOf(fill, trade))),
    ].reduce((sum, fee) => sum + fee, sums.fees),
    wins:
      sums.wins +
      closedTrades.filter((trade) => (trade.profit ?? 0) > 0).length +
      corrected.reduce((sum, each) => sum + winsGained(each), 0),
    trades: sums.trades + closedTrades.length,
  };
  const tradesNow = new Map([...latest].map(([id, { trade }]) => [id, trade]));
  return {
    sums: after,
    writes: {
      trades,
      closed,
      correctedTrades: corrected.map(({ trade }) => tradeIdOf(facts.botId, facts.mode, trade.id)),
      cancelledOrders,
      entersTrades: entersTrades(facts.mode, effects),
      entries: newEntries(state, effects),
      time: new Date(circumstances.now),
      endedActions: effects.flatMap((effect) =>
        effect.kind === 'manual-ended'
          ? [
              {
                id: effect.actionId,
                refusal: effect.refusal,
                tradeId: effect.tradeId === null ? null : tradeIdOf(facts.botId, facts.mode, effect.tradeId),
                clientOrderId: effect.orderId,
              },
            ]
          : [],
      ),
      alarms: effects.flatMap((effect) => (effect.kind === 'alarm' ? [alarmOf(facts, effect)] : [])),
      decisions: decisionRows(facts, effects),
      memory: toStoredMemory(state),
      consecutiveLosses: state.consecutiveLosses,
      snapshot:
        closedTrades.length + corrected.length === 0 ? null : snapshotOf(facts, after, circumstances.unrealizedPnl, circumstances.now),
      paused,
      messages: tradeMessages(facts, effects, tradesNow),
      notices: stepNotices(facts, effects, tradesNow),
    },
  };
}

function alarmOf({ botId }: BotFacts, { reason, orderId, symbol }: Extract<BotEffect, { kind: 'alarm' }>) {
  return { kind: reason, target: { level: 'bot', id: botId }, detail: orderId, facts: { symbol, order: orderId } } as const;
}

/** Whether a correction has made a win (1) or unmade one (-1). */
function winsGained({ trade, profitChange }: Extract<BotEffect, { kind: 'trade-corrected' }>): number {
  const profit = trade.profit ?? 0;
  return Number(profit > 0) - Number(profit - profitChange > 0);
}

/** The records of the decisions among the effects. */
export function decisionRows({ botId, epoch }: BotFacts, effects: readonly BotEffect[]): DecisionRow[] {
  return effects.flatMap((effect) => (effect.kind === 'decision' ? [{ botId, epoch, ...effect.decision, decidedAt: effect.time }] : []));
}

/** The balance of a bot at a moment. What imported trades came to counts as its profit, and not as money it has. */
export function snapshotOf(facts: BotFacts, sums: BotSums, unrealizedPnl: number, time: number): PnlSnapshot {
  const { imported } = facts;
  const starting = Number(facts.startingBalance);
  const own = to8Decimals(sums.profit); // profits have eight decimals, and so has their exact sum
  const realized = to8Decimals(own + Number(imported.profit));
  const net = realized + unrealizedPnl;
  const trades = sums.trades + imported.trades;
  return {
    botId: facts.botId,
    mode: facts.mode,
    takenAt: new Date(time),
    netPnl: net,
    netPnlPct: starting === 0 ? 0 : (net / starting) * 100,
    unrealizedPnl,
    realizedPnl: realized,
    totalFees: sums.fees + Number(imported.fees),
    winRate: trades === 0 ? 0 : (sums.wins + imported.wins) / trades,
    currentBalance: to8Decimals(starting + own),
  };
}

/** The orders of a step that open or enlarge a trade, with the mid price they were decided at. One that takes another's place is reserved already. */
function newEntries({ pairs }: BotState, effects: readonly BotEffect[]): NewEntry[] {
  return effects.flatMap((effect) => {
    if (effect.kind !== 'order-created' || effect.order.purpose !== 'entry' || effect.order.action === 'replace') return [];
    const view = pairs[effect.symbol]?.view;
    return [{ clientOrderId: effect.order.id, mid: view === null || view === undefined ? effect.order.price : (view.bid + view.ask) / 2 }];
  });
}

/** Whether a step makes an order that enters a trade, or fills one that is simulated. What an exchange has filled is a fact. */
function entersTrades(mode: TradeMode, effects: readonly BotEffect[]): boolean {
  return effects.some(
    (effect) =>
      (effect.kind === 'order-created' || (effect.kind === 'order-filled' && mode === 'paper')) && effect.order.purpose === 'entry',
  );
}

/** What a fill cost in quote currency; what is usual where its value is not known. */
function feeOf({ feeInQuote, price, amount }: Fill, { feeClose }: Trade): number {
  return feeInQuote ?? price * amount * feeClose;
}
