import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import type { OwnSettings } from '#engine/settings/own-settings.ts';
import type { BotRow } from '#storage/bots/bots.ts';
import { addBot } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { addUser, findUserByEmail } from '#storage/users/users.ts';
import { sql } from 'kysely';

/** What a test says of a bot; the rest is a paper bot on the sandbox's spot market, in 1m candles. */
export interface TestBot {
  strategy: string; // class name
  nickname?: string;
  owner?: string; // e-mail
  marketType?: BotRow['marketType'];
  symbols?: string[];
  status?: BotRow['status'];
  stakeAmount?: number;
  maxOpenTrades?: number;
  leverage?: number;
  minimalRoi?: Record<string, number>;
  stoploss?: number;
  maxConsecutiveLosses?: number;
  orderType?: 'limit' | 'market';
  timeframe?: string;
  ownSettings?: OwnSettings; // above what is named above
}

/** Makes a bot and gives its id. */
export async function addTestBot(db: Database, given: TestBot): Promise<string> {
  await enterBuiltInStrategies(db);
  const strategy = (await listStrategies(db)).find(({ className }) => className === given.strategy);
  if (strategy === undefined) throw new Error(`There is no strategy ${given.strategy}`);
  const email = given.owner ?? 'owner@example.com';
  const owner = (await findUserByEmail(db, email)) ?? (await addUser(db, { email, passwordHash: 'none', role: 'trader', verified: true }));
  const stakeAmount = given.stakeAmount ?? 100;
  const maxOpenTrades = given.maxOpenTrades ?? 3;
  const id = await addBot(db, {
    userId: owner?.id ?? '',
    strategyId: strategy.id,
    nickname: given.nickname ?? given.strategy,
    exchangeId: 'sandbox',
    marketType: given.marketType ?? 'spot',
    stakeCurrency: 'USDT',
    symbols: given.symbols ?? ['BTC/USDT'],
    maxOpenTrades,
    leverageMode: 'isolated',
    mode: 'paper',
    status: given.status ?? 'active',
    stakeAmount,
    leverage: given.leverage ?? 1,
    startingBalance: stakeAmount * maxOpenTrades,
    ownSettings: {
      timeframe: given.timeframe ?? '1m',
      maxConsecutiveLosses: given.maxConsecutiveLosses ?? 1000,
      ...(given.minimalRoi === undefined ? {} : { minimalRoi: given.minimalRoi }),
      ...(given.stoploss === undefined ? {} : { stoploss: given.stoploss }),
      ...given.ownSettings,
    },
  });
  if (given.orderType !== undefined) {
    const types = JSON.stringify({ entry: given.orderType, exit: given.orderType, stoploss: 'market' });
    await sql`update strategies set order_types = ${types}::jsonb where id = ${strategy.id}`.execute(db);
  }
  return id;
}
