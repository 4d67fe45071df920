import type { MarketType } from '#engine/market/instrument.ts';
import type { Credentials } from '#engine/ports/credentials.ts';
import type { NewSandboxKey } from '#feeds/sandbox-key.ts';
import { addApiKey } from '#storage/exchange-accounts/api-keys.ts';
import { addBot } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { sealCredentials } from '#vault/credentials.ts';
import { markOf } from '#vault/key-marks.ts';
import type { SealingKey } from '#vault/sealing.ts';
import { randomUUID } from 'node:crypto';

const exchangeId = 'sandbox';

interface LiveDemoBot {
  nickname: string;
  strategy: string; // class name
  marketType: MarketType;
  symbols: readonly string[];
  leverage: number;
}

/** The bots of the demonstration that make real orders, at the sandbox. They have no past: what they trade is what they traded. */
const liveBots: readonly LiveDemoBot[] = [
  {
    nickname: 'Live Band',
    strategy: 'BollingerReversion',
    marketType: 'spot',
    symbols: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'XRP/USDT', 'ADA/USDT', 'BNB/USDT'],
    leverage: 1,
  },
  {
    nickname: 'Live Momentum',
    strategy: 'MacdTrend',
    marketType: 'futures',
    symbols: ['BTC/USDT:USDT', 'ETH/USDT:USDT', 'XRP/USDT:USDT', 'SOL/USDT:USDT'],
    leverage: 2,
  },
];

/** Keys for the live bots of the demonstration, each of an account of its own. Fails: ExchangeError when the sandbox does not answer */
export async function liveKeys(newKey: NewSandboxKey): Promise<Credentials[]> {
  return await Promise.all(liveBots.map(async () => ({ ...(await newKey()), passphrase: null })));
}

/** Writes the live bots of the demonstration with their keys. */
export async function writeLiveBots(db: Database, userId: string, sealing: SealingKey, keys: readonly Credentials[]): Promise<void> {
  const strategies = await listStrategies(db);
  for (const [i, { nickname, strategy, marketType, symbols, leverage }] of liveBots.entries()) {
    const credentials = keys[i];
    if (credentials === undefined) throw new Error(`There is no key for ${nickname}`);
    const id = randomUUID();
    await addApiKey(db, {
      id,
      userId,
      exchangeId,
      label: nickname,
      keyHint: credentials.key.slice(-4),
      hasPassphrase: false,
      keyMark: markOf(sealing.marking, exchangeId, credentials.key),
      sealed: await sealCredentials(sealing, { id, userId }, credentials),
      checkedAt: new Date(),
      checkResult: 'ok',
      canTrade: true,
      canWithdraw: false,
      isIpBound: null,
    });
    const [stakeAmount, maxOpenTrades] = [200, symbols.length];
    await addBot(db, {
      userId,
      strategyId: strategies.find(({ className }) => className === strategy)?.id ?? '',
      nickname,
      exchangeId,
      marketType,
      leverageMode: 'isolated',
      leverage,
      stakeCurrency: 'USDT',
      stakeAmount,
      maxOpenTrades,
      startingBalance: stakeAmount * maxOpenTrades,
      symbols: [...symbols],
      mode: 'live',
      status: 'active',
      ownSettings: { timeframe: '1m', maxConsecutiveLosses: 10 }, // in candles of a minute a row of losses is soon there
      apiKeyId: id,
    });
  }
}
