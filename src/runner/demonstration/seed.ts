import { clientOrderId } from '#engine/bot/state.ts';
import { addBot } from '#storage/bots/bots.ts';
import { emptyMemory } from '#engine/bot/stored-state.ts';
import { setEngineMemory } from '#storage/bots/running-bots.ts';
import type { Database } from '#storage/database.ts';
import { addPnlSnapshots } from '#storage/bots/pnl-snapshots.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import type { FiguresOf } from '#storage/trades/figures-from-trades.ts';
import { makeFiguresAgain } from '#storage/trades/figures-from-trades.ts';
import { addToFigures, writeTrades } from '#storage/trades/trade-writes.ts';
import { settingsOf, valuesOf } from '../bots/bot-settings.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import type { Markets } from '#feeds/markets.ts';
import { tradeRows } from '../bots/trade-rows.ts';
import type { DemoBot } from './bots.ts';
import { demoBots } from './bots.ts';
import type { BotPast } from './past.ts';
import { pastOf, symbolsOf } from './past.ts';
import { pastSnapshots } from './snapshots.ts';

const days = 60;
const exchangeId = 'sandbox';

/** A bot of the demonstration with the past it is given. */
export interface PreparedBot {
  bot: DemoBot;
  past: BotPast;
}

/** Runs the bots of the demonstration over the sandbox's last 60 days. Takes some seconds; `say` receives a line about each. */
export async function prepareDemonstration(
  db: Database,
  markets: Markets,
  nowMs: number,
  say: (line: string) => void,
  bots: readonly DemoBot[] = demoBots,
): Promise<PreparedBot[]> {
  const strategies = await listStrategies(db);
  const prepared: PreparedBot[] = [];
  for (const bot of bots) {
    const terms = strategies.find(({ className }) => className === bot.strategy);
    if (terms === undefined) throw new Error(`There is no strategy ${bot.strategy}`);
    const strategy = strategyOfClass(bot.strategy);
    const settings = settingsOf(rowOf(bot), valuesOf(rowOf(bot), terms, strategy), strategy);
    const past = await pastOf(markets, bot, strategy, settings, days, nowMs);
    prepared.push({ bot, past });
    say(`  ${prepared.length} of ${bots.length}  ${bot.nickname}: ${past.trades.length} trades`);
  }
  return prepared;
}

/** Writes the bots of the demonstration with their past. */
export async function writeDemonstration(
  db: Database,
  prepared: readonly PreparedBot[],
  owners: ReadonlyMap<string, string>,
): Promise<void> {
  const strategies = await listStrategies(db);
  for (const { bot, past } of prepared) {
    const strategyId = strategies.find(({ className }) => className === bot.strategy)?.id ?? '';
    const row = rowOf(bot);
    const botId = await addBot(db, {
      ...row,
      userId: owners.get(bot.owner) ?? '',
      strategyId,
      nickname: bot.nickname,
      stakeCurrency: 'USDT',
      symbols: symbolsOf(bot),
      leverage: bot.leverage,
      mode: 'paper',
      status: bot.status,
    });
    let orders = 1;
    const trades = past.trades.map(({ trade, confidence }, i) => {
      const numbered = { ...trade, id: i + 1, orders: trade.orders.map((order) => ({ ...order, id: clientOrderId(botId, orders++) })) };
      return tradeRows(numbered, { botId, mode: 'paper', epoch: '0', confidence });
    });
    await writeTrades(db, trades);
    let again: FiguresOf | null = null;
    for (const { trade } of trades) {
      if (!(trade.closedAt instanceof Date)) continue;
      const { startingBalance } = row;
      const late = await addToFigures(db, {
        botId,
        mode: 'paper',
        startingBalance,
        profit: Number(trade.profit),
        fees: String(trade.fees),
        closedAt: trade.closedAt,
      });
      again ??= late;
    }
    if (again !== null) await makeFiguresAgain(db, again);
    await addPnlSnapshots(
      db,
      pastSnapshots({ botId, startingBalance: Number(row.startingBalance), trades: trades.map((each) => each.trade), past }),
    );
    await setEngineMemory(db, botId, 'paper', {
      ...emptyMemory,
      nextTradeId: trades.length + 1,
      nextOrderNumber: orders,
    });
  }
}

function rowOf(bot: DemoBot) {
  return {
    exchangeId,
    marketType: bot.marketType,
    leverage: String(bot.leverage),
    leverageMode: 'isolated' as const,
    stakeAmount: String(bot.stakeAmount),
    maxOpenTrades: bot.maxOpenTrades,
    startingBalance: String(bot.stakeAmount * bot.maxOpenTrades),
    ownSettings: { timeframe: bot.timeframe },
  };
}
