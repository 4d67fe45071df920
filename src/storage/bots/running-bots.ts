import { follows, orderStates } from '#engine/account/order-life.ts';
import type { TradingState } from '#engine/bot/event.ts';
import { sql } from 'kysely';
import type { BotRow, StrategyRow } from './bots.ts';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import type { DecisionRow } from './decisions.ts';
import { addDecisions } from './decisions.ts';
import type { AlarmAbout, AlarmFacts } from '../alarms/alarms.ts';
import { raiseAlarms } from '../alarms/alarms.ts';
import { stopAfterLosses } from '../limits/loss-limits.ts';
import type { NewEntry } from '../limits/limits.ts';
import { checkEntries, lockLimits } from '../limits/limits.ts';
import { refuseOpposed } from '../limits/opposed-entries.ts';
import type { StrategyCode } from '../strategies/strategy-code.ts';
import { findCode } from '../strategies/strategy-code.ts';
import { addMail } from '../mails/mail-outbox.ts';
import { refuseLocked } from '../pair-locks/pair-locks.ts';
import type { PnlSnapshot } from './pnl-snapshots.ts';
import { addPnlSnapshots } from './pnl-snapshots.ts';
import type { Holder } from './runners.ts';
import { Changed, fence } from './runners.ts';
import { sentTogether } from '../sent-together.ts';
import { together } from '../together.ts';
import { shareTradingLock } from '../trading/trading-lock.ts';
import { readTradingState, readTradingStates, tradingStateOf } from '../trading/trading-states.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { tradeModeOf } from '../trades/trade-mode.ts';
import type { ClosedTrade, TradeRow, TradeRows } from '../trades/trade-writes.ts';
import type { FiguresOf } from '../trades/figures-from-trades.ts';
import { makeFiguresAgain } from '../trades/figures-from-trades.ts';
import { addToFigures, correctFigures, writeTrades } from '../trades/trade-writes.ts';
import type { EndedAction } from '../trades/manual-actions.ts';
import { endActions } from '../trades/manual-actions.ts';
import type { ChannelNotice } from '../channels/channel-messages.ts';
import { noticeOwners } from '../channels/channel-messages.ts';
import type { TradeMessage } from '../trades/trade-messages.ts';
import { addBotMessages } from '../trades/trade-messages.ts';

/** What a bot's engine remembers besides its trades, by mode. */
export interface EngineMemory {
  nextOrderNumber: number;
  [name: string]: unknown; // the rest is the engine's matter
}

/** What the imported trades of a bot come to. They count in its figures beside its own trades; its wallet holds nothing of them. */
export interface ImportedSums {
  trades: number;
  wins: number;
  profit: string; // exact decimal
  fees: string;
}

/** The sums of a bot without imported trades. */
export const nothingImported: ImportedSums = { trades: 0, wins: 0, profit: '0', fees: '0' };

/** Everything a runner needs to continue with a bot. */
export interface StoredBot {
  bot: BotRow;
  strategy: StrategyRow;
  code: StrategyCode | null; // what its strategy runs; null for one that is part of the program
  mode: TradeMode;
  tradingState: TradingState;
  memory: EngineMemory | null; // null: it has never traded in this mode
  nextOrderNumber: number; // the highest of all modes
  openTrades: Record<string, unknown>[]; // the engine's trades as they were written, oldest first
  closedProfit: string; // exact decimal
  totalFees: string;
  wins: number;
  closedTrades: number;
  imported: ImportedSums;
  decidedCandleTimes: Record<string, number>; // the newest decision of each symbol
  ownerEmail: string;
}

/**
 * Waits until a step of the bot that is being written is committed or rolled back, so that what is read afterwards holds
 * it. A barrier and no lock: outside a transaction the row is free again when this returns. A late step of an earlier
 * runner can only be one that was under way already, because `fence` refuses those that begin after the claim.
 */
async function waitForUncommittedStep(db: Database, id: string): Promise<void> {
  await db.selectFrom('bots').select('id').where('id', '=', id).forUpdate().execute();
}

/**
 * Reads a bot with its open trades and figures of its current mode; null when it is gone. A step that is still being
 * written is waited for.
 */
export async function readBot(db: Database, id: string): Promise<StoredBot | null> {
  await waitForUncommittedStep(db, id);
  const bot = await db.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirst();
  if (bot === undefined) return null;
  const mode = tradeModeOf(bot);
  const [strategy, code, open, figures, decided, owner, tradingState] = await Promise.all([
    db.selectFrom('strategies').selectAll().where('id', '=', bot.strategyId).executeTakeFirstOrThrow(),
    bot.codeId === null ? null : findCode(db, bot.codeId),
    db
      .selectFrom('trades')
      .select('engineState')
      .where('botId', '=', id)
      .where('mode', '=', mode)
      .where('status', '=', 'open')
      .orderBy('openedAt')
      .orderBy('id')
      .execute(),
    db.selectFrom('botFigures').selectAll().where('botId', '=', id).where('mode', '=', mode).executeTakeFirst(),
    newestDecisions(db, bot),
    db.selectFrom('users').select('email').where('id', '=', bot.userId).executeTakeFirstOrThrow(),
    readTradingState(db, id),
  ]);
  const memories = bot.engineState as Record<string, EngineMemory>;
  return {
    bot,
    strategy,
    code,
    mode,
    tradingState,
    memory: memories[mode] ?? null,
    nextOrderNumber: Math.max(1, ...Object.values(memories).map(({ nextOrderNumber }) => nextOrderNumber)),
    openTrades: open.map(({ engineState }) => engineState),
    closedProfit: figures?.realizedPnl ?? '0',
    totalFees: figures?.fees ?? '0',
    wins: figures?.wins ?? 0,
    closedTrades: figures?.trades ?? 0,
    imported:
      figures === undefined
        ? nothingImported
        : {
            trades: figures.importedTrades,
            wins: figures.importedWins,
            profit: figures.importedPnl,
            fees: figures.importedFees,
          },
    decidedCandleTimes: decided,
    ownerEmail: owner.email,
  };
}

/** The time of the newest decision of each symbol; one statement for all, because planning it over all partitions is most of the work. */
async function newestDecisions(db: Database, { id, symbols }: BotRow): Promise<Record<string, number>> {
  const { rows } = await sql<{ symbol: string; candleTime: Date | null }>`
    select s.symbol, (select max(candle_time) from decisions where bot_id = ${id} and symbol = s.symbol) as candle_time
    from unnest(${symbols}::text[]) as s(symbol)`.execute(db);
  return Object.fromEntries(rows.flatMap(({ symbol, candleTime }) => (candleTime === null ? [] : [[symbol, candleTime.getTime()]])));
}

/** What one step of a bot leaves behind. */
export interface StepWrites {
  trades: readonly TradeRows[];
  closed: readonly ClosedTrade[];
  correctedTrades?: readonly string[]; // ids of closed trades of which fills or funding came late; they are among `trades`
  cancelledOrders: readonly string[]; // client order ids
  entersTrades: boolean; // it makes an order that enters a trade, or fills a simulated one: what the kill switch forbids
  decisions: readonly DecisionRow[]; // those the step was taken on
  memory: EngineMemory;
  consecutiveLosses: number;
  snapshot: PnlSnapshot | null;
  paused: { recipient: string; subject: string; body: string } | null; // the bot has paused itself; its owner gets a mail
  entries?: readonly NewEntry[]; // the entry orders it makes; each is checked against the limits
  time?: Date; // when it was taken, for limits of a minute or a day; now, when it is left out
  alarms?: readonly (AlarmAbout & { facts: AlarmFacts })[];
  endedActions?: readonly EndedAction[]; // what people wanted done by hand
  messages?: readonly TradeMessage[]; // about trades, for the chat and the spreadsheet of its strategy
  notices?: readonly ChannelNotice[]; // for the channels of its owner
}

/** A step of a bot, as the runner that took it hands it over. */
export interface Step {
  holder: Holder & { updatedAt: Date };
  mode: TradeMode;
  writes: StepWrites;
}

/**
 * Writes a step in one transaction, provided the bot is still this runner's and nobody has changed it since it was read; one that
 * enters a trade only while the kill switch lets it.
 *
 * Fails: `Fenced` when it is another's now, `Changed` when it was changed, `EntryRefused` when an entry would exceed a limit, its pair is locked or
 * another bot of the account holds the opposite; nothing is written then. After any other
 * failure it may have been written or not.
 */
export async function writeStep(db: Database, holder: Step['holder'], mode: TradeMode, writes: StepWrites): Promise<void> {
  await inTransaction(db, async (trx) => {
    const ready = await readySteps(trx, [{ holder, mode, writes }]);
    if (ready.length === 0) throw new Changed(holder.id); // it may not enter any more
    await writeReadySteps(trx, ready);
  });
}

/**
 * Writes steps of different bots in one transaction; gives those that were written. Left out are steps of bots that are another's, were
 * changed, may not enter any more or are locked by somebody else; and all of them when one was refused for another reason, as a limit.
 *
 * Fails: when they may have been written or not
 */
export async function writeStepsTogether(db: Database, steps: readonly Step[]): Promise<ReadonlySet<Step>> {
  const written = await together(db, async (trx) => {
    const ready = await readySteps(trx, steps);
    if (ready.length > 0) await writeReadySteps(trx, ready);
    return ready;
  });
  return new Set(written);
}

/** The steps that may be written now; the rows of their bots are locked. Fails, for one alone: `Fenced`, `Changed` */
async function readySteps(trx: Database, steps: readonly Step[]): Promise<Step[]> {
  const entering = steps.filter(({ writes }) => writes.entersTrades).map(({ holder }) => holder.id);
  const isEntering = entering.length > 0;
  const holders = steps.map(({ holder }) => holder);
  // By itself: nothing is written, nor waited for, of a bot that is another's or locked by somebody else.
  const [, held, states] = await sentTogether(trx, (now) => [
    isEntering ? shareTradingLock(now) : null,
    fence(now, holders),
    isEntering ? readTradingStates(now, entering) : null,
  ]);
  return steps.filter(({ holder, writes }) => held.has(holder.id) && (!writes.entersTrades || states?.get(holder.id) === 'active'));
}

async function writeReadySteps(trx: Database, steps: readonly Step[]): Promise<void> {
  const again = new Map<string, FiguresOf>(); // once for each bot, however many of its trades ask for it
  const note = (of: FiguresOf | null): void => {
    if (of !== null) again.set(`${of.botId} ${of.mode}`, of);
  };
  await sentTogether(trx, (now) => [
    ...steps.map(({ writes }) => refuseSecondClose(now, writes)),
    ...steps.flatMap(({ writes }) => corrected(writes).map((trade) => correctFigures(now, trade).then(note))),
    cancelOrders(now, allOf(steps, 'cancelledOrders')),
    writeTrades(now, allOf(steps, 'trades')),
    addDecisions(now, allOf(steps, 'decisions')),
    ...allOf(steps, 'closed').map((closed) => addToFigures(now, closed).then(note)),
    addPnlSnapshots(
      now,
      steps.flatMap(({ writes }) => writes.snapshot ?? []),
    ),
    writeMemories(now, steps),
  ]);
  const [notWanted] = await sentTogether(trx, (now) => [
    endActions(now, ofBots(steps, 'endedActions')),
    addBotMessages(now, ofBots(steps, 'messages')),
    noticeOwners(now, ofBots(steps, 'notices')),
    // From the trades as they are written by now, and before limits are looked at.
    ...[...again.values()].map((of) => makeFiguresAgain(now, of)),
  ]);
  for (const { holder, writes } of steps) {
    // What is not wanted any more, or was done already, is not done; the bot is read again then.
    if ((writes.endedActions ?? []).some(({ id }) => notWanted.includes(id))) throw new Changed(holder.id);
    if (writes.paused !== null) {
      await trx.updateTable('bots').set({ status: 'paused', updatedAt: new Date() }).where('id', '=', holder.id).execute();
      await addMail(trx, writes.paused);
    }
  }
  await raiseAlarms(
    trx,
    steps.flatMap(({ writes }) => writes.alarms ?? []),
  );
  await heedLimits(trx, steps);
}

/** What some steps leave behind of one kind. */
function allOf<Kind extends 'cancelledOrders' | 'trades' | 'decisions' | 'closed'>(
  steps: readonly Step[],
  kind: Kind,
): StepWrites[Kind][number][] {
  return steps.flatMap(({ writes }) => [...writes[kind]] as StepWrites[Kind][number][]);
}

/** The same of what not every step leaves behind, each with its bot. */
function ofBots<Kind extends 'endedActions' | 'messages' | 'notices'>(
  steps: readonly Step[],
  kind: Kind,
): (NonNullable<StepWrites[Kind]>[number] & { botId: string })[] {
  return steps.flatMap(({ holder, writes }) => (writes[kind] ?? []).map((each) => ({ ...each, botId: holder.id })));
}

/** The closed trades of which fills or funding came late. */
function corrected({ trades, correctedTrades = [] }: StepWrites): TradeRow[] {
  return trades.flatMap(({ trade }) => (correctedTrades.includes(trade.id) ? [trade] : []));
}

/** Whether a step has to wait for other bots while it is written: for the kill switch, or for the limits of its owner and the server. */
export function waitsForOthers({ writes }: Step): boolean {
  return writes.entersTrades || countsLosses(writes);
}

function countsLosses({ closed, correctedTrades = [] }: StepWrites): boolean {
  return closed.some(({ profit }) => profit < 0) || correctedTrades.length > 0;
}

/** Last, because other bots of the same limits wait from here on until these steps are committed. */
async function heedLimits(trx: Database, steps: readonly Step[]): Promise<void> {
  const losing = steps.filter(({ writes }) => countsLosses(writes));
  const entering = steps.filter(({ writes }) => (writes.entries ?? []).length > 0);
  const limited = new Set([...losing, ...entering].filter(({ mode }) => mode !== 'paper').map(({ holder }) => holder.id));
  const idsOf = (some: readonly Step[]): string[] =>
    some.flatMap(({ writes }) => (writes.entries ?? []).map((entry) => entry.clientOrderId));
  const atExchange = idsOf(entering.filter(({ mode }) => mode !== 'paper'));
  await sentTogether(trx, (now) => [
    entering.length === 0 ? null : refuseLocked(now, idsOf(entering)),
    lockLimits(now, [...limited]),
    atExchange.length === 0 ? null : refuseOpposed(now, atExchange),
    ...[...Map.groupBy(entering, ({ mode }) => mode)].map(([mode, some]) => {
      const made = some.map(({ holder, writes }) => ({ botId: holder.id, entries: writes.entries ?? [] }));
      return checkEntries(now, mode, made, new Date(Math.min(...some.map(({ writes }) => timeOf(writes).getTime()))));
    }),
  ]);
  const bots = losing.map(({ holder, mode, writes }) => ({ botId: holder.id, mode, now: timeOf(writes) }));
  await stopAfterLosses(trx, bots);
}

const timeOf = ({ time }: StepWrites): Date => time ?? new Date();

/** An order that takes the place of another comes of the same signal: the other must have ended before it. */
async function cancelOrders(trx: Database, clientOrderIds: readonly string[]): Promise<void> {
  if (clientOrderIds.length === 0) return;
  await trx
    .updateTable('orders')
    .set({ status: 'cancelled', closedAt: new Date() })
    .where('clientOrderId', 'in', [...clientOrderIds])
    .where(
      'status',
      'in',
      orderStates.filter((state) => follows(state, 'cancelled')),
    )
    .execute();
}

async function writeMemories(trx: Database, steps: readonly Step[]): Promise<void> {
  await sql`
    update bots set engine_state = jsonb_set(engine_state, array[m.mode], m.memory), consecutive_losses = m.losses
    from unnest(${steps.map(({ holder }) => holder.id)}::uuid[], ${steps.map(({ mode }) => mode)}::text[],
                ${steps.map(({ writes }) => JSON.stringify(writes.memory))}::jsonb[], ${steps.map(({ writes }) => writes.consecutiveLosses)}::int[])
      as m(id, mode, memory, losses)
    where bots.id = m.id`.execute(trx);
}

/** A trade is closed once: a step that closes it again knows less than the database does. */
async function refuseSecondClose(trx: Database, { trades, correctedTrades = [] }: StepWrites): Promise<void> {
  const closing = trades.flatMap(({ trade }) => (trade.status === 'closed' && !correctedTrades.includes(trade.id) ? [trade.id] : []));
  if (closing.length === 0) return;
  const closed = await trx
    .selectFrom('trades')
    .select('id')
    .where('id', 'in', closing)
    .where('status', '=', 'closed')
    .limit(1)
    .executeTakeFirst();
  if (closed !== undefined) throw new Error(`Trade ${closed.id} is closed already`);
}

/** A bot, and when people last changed it and its strategy: the runner of another one reads it again. */
export interface BotChange {
  id: string;
  ownerId: string;
  exchangeId: string;
  epoch: string;
  changedAt: string; // both times: each is that at which a request began, so a change need not have the latest
  tradingState: TradingState;
}

/** The bots that a runner holds. */
export async function listClaimedBots(db: Database, runnerId: string): Promise<BotChange[]> {
  return listChanges(db, (bots) => bots.where('bots.runnerId', '=', runnerId));
}

/** Of these bots the ones that have an open trade. */
export async function botsWithTrades(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom('trades').select('botId').distinct().where('status', '=', 'open').where('botId', 'in', ids).execute();
  return new Set(rows.map(({ botId }) => botId));
}

/** These bots, whoever holds them. */
export async function listBotChanges(db: Database, ids: readonly string[]): Promise<BotChange[]> {
  return ids.length === 0 ? [] : listChanges(db, (bots) => bots.where('bots.id', 'in', ids));
}

type Changes = ReturnType<typeof selectChanges>;

function selectChanges(db: Database) {
  return db
    .selectFrom('bots')
    .innerJoin('strategies', 'strategies.id', 'bots.strategyId')
    .select([
      'bots.id',
      'bots.userId as ownerId',
      'bots.exchangeId',
      'bots.epoch',
      'bots.updatedAt',
      'strategies.updatedAt as strategyUpdatedAt',
      tradingStateOf.as('tradingState'),
    ]);
}

async function listChanges(db: Database, only: (bots: Changes) => Changes): Promise<BotChange[]> {
  const rows = await only(selectChanges(db)).execute();
  return rows.map(({ id, ownerId, exchangeId, epoch, updatedAt, strategyUpdatedAt, tradingState }) => ({
    id,
    ownerId,
    exchangeId,
    epoch,
    tradingState,
    changedAt: `${updatedAt.toISOString()} ${strategyUpdatedAt.toISOString()}`,
  }));
}

/** What a runner says of a bot. */
export interface Vital {
  botId: string;
  lastTickAt: Date;
  openTrades: number;
  unrealizedPnl: number;
  closedTrades: number; // in its current mode; not written
  lastError: string | null;
  strategyRest?: string | null; // why its strategy is asked nothing
}

/** Writes what a runner says of its bots, all at once; of one that has been deleted meanwhile nothing is kept. */
export async function writeVitals(db: Database, vitals: readonly Omit<Vital, 'closedTrades'>[]): Promise<void> {
  if (vitals.length === 0) return;
  await sql`
    insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl, last_error, strategy_rest)
    select said.* from unnest(${vitals.map((v) => v.botId)}::uuid[], ${vitals.map((v) => v.lastTickAt)}::timestamptz[], ${vitals.map((v) => v.openTrades)}::int[],
                         ${vitals.map((v) => String(v.unrealizedPnl))}::numeric[], ${vitals.map((v) => v.lastError)}::text[],
                         ${vitals.map((v) => v.strategyRest ?? null)}::text[])
      as said(bot_id, last_tick_at, open_trades, unrealized_pnl, last_error, strategy_rest) join bots b on b.id = said.bot_id
    on conflict (bot_id) do update set last_tick_at = excluded.last_tick_at, open_trades = excluded.open_trades,
      unrealized_pnl = excluded.unrealized_pnl, last_error = excluded.last_error, strategy_rest = excluded.strategy_rest`.execute(db);
}

/** Writes why a bot does not run, unless it has been deleted; what else was reported of it stays. */
export async function writeLastError(db: Database, botId: string, lastError: string): Promise<void> {
  await sql`
    insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl, last_error)
    select id, to_timestamp(0), 0, 0, ${lastError} from bots where id = ${botId}
    on conflict (bot_id) do update set last_error = excluded.last_error`.execute(db);
}

/** Sets what a bot's engine remembers in a mode. */
export async function setEngineMemory(db: Database, botId: string, mode: TradeMode, memory: EngineMemory): Promise<void> {
  await db
    .updateTable('bots')
    .set({ engineState: JSON.stringify({ [mode]: memory }) })
    .where('id', '=', botId)
    .execute();
}
