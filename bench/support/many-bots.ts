import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import type { Database } from '#storage/database.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { addUser } from '#storage/users/users.ts';
import { sql } from 'kysely';

const bases = ['BTC', 'ETH', 'BNB', 'SOL', 'XRP', 'ADA', 'DOGE', 'LTC', 'LINK', 'DOT', 'AVAX', 'ATOM'];

/** Makes `count` active paper bots on the sandbox's spot market with three pairs each, over all strategies, in 1m candles. */
export async function addManyBots(db: Database, count: number): Promise<void> {
  await enterBuiltInStrategies(db);
  const strategies = (await listStrategies(db)).filter(({ className }) => !['BuyAndHold', 'AlwaysFlat'].includes(className));
  const owner = await addUser(db, { email: 'many@example.com', passwordHash: 'none', role: 'trader', verified: true });
  for (let i = 0; i < count; i++) {
    const symbols = [0, 4, 8].map((step) => `${bases[(i + step) % bases.length]}/USDT`);
    await sql`
      insert into bots (user_id, strategy_id, nickname, exchange_id, market_type, stake_currency, stake_amount, symbols, max_open_trades, leverage,
        leverage_mode, status, starting_balance, own_settings)
      values (${owner?.id}, ${strategies[i % strategies.length]?.id}, ${`bot ${i}`}, 'sandbox', 'spot', 'USDT', 100, ${symbols}, 3, 1, 'isolated', 'active', 300,
        ${JSON.stringify({ timeframe: '1m', maxConsecutiveLosses: 1_000 })}::jsonb)`.execute(db);
  }
}
