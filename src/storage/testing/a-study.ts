import type { StudyGround, StudySearch } from '#engine/lab/study-record.ts';
import type { Database } from '../database.ts';
import type { NewStudy } from '../studies/studies.ts';
import { addStudy } from '../studies/studies.ts';
import { aPlan } from './a-backtest.ts';

/** What a study over two numbers tries. For tests. */
export const aSearch: StudySearch = {
  spaces: ['buy', 'stoploss'],
  dimensions: [
    { name: 'fastPeriod', space: 'buy', min: 2, max: 40, step: 1 },
    { name: 'stoploss', space: 'stoploss', min: -0.35, max: -0.02, step: 0.001 },
  ],
  sampler: 'tpe',
  seed: 7,
  epochs: 60,
  earlyStop: null,
  loss: 'SharpeHyperOptLossDaily',
  minTrades: 1,
  sealedShare: 0.2,
};

/** What its epochs run on. For tests. */
export const aGround: StudyGround = {
  range: { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 24) },
  sealed: { from: Date.UTC(2026, 0, 24, 1), to: Date.UTC(2026, 0, 31) },
  until: Date.UTC(2026, 1, 1),
  instruments: [],
  candles: '',
  series: [],
  notes: [],
  configured: { trades: 10, profit: 5, profitRatio: 0.005, maxDrawdownRatio: 0.01 },
  marketChange: 0.02,
};

/** A study of BTC/USDT and ETH/USDT, except for what is given. A builder for tests. */
export function aStudy(given: Pick<NewStudy, 'userId' | 'strategyId'> & Partial<NewStudy>): NewStudy {
  return { codeId: null, strategyName: 'EMA cross', exchangeId: 'sandbox', plan: aPlan, bot: null, search: aSearch, ...given };
}

/** A study that has ended with one epoch; returns its id. For tests. */
export async function anEndedStudy(db: Database, of: Pick<NewStudy, 'userId' | 'strategyId'>): Promise<string> {
  const id = (await addStudy(db, aStudy(of))) ?? '';
  const figures = {
    trades: 3,
    wins: 2,
    draws: 0,
    losses: 1,
    profit: 5,
    profitRatio: 0.005,
    meanProfitRatio: 0.01,
    averageDurationMs: 3_600_000,
    maxDrawdown: 1,
    maxDrawdownRatio: 0.001,
    finalBalance: 1_005,
  };
  await db
    .insertInto('studyEpochs')
    .values({ studyId: id, epoch: 1, point: [3, 4], loss: -1, figures: JSON.stringify(figures), fault: null })
    .execute();
  await db
    .updateTable('studies')
    .set({ status: 'done', ground: JSON.stringify(aGround), epochs: 1, bestEpoch: 1, finishedAt: new Date() })
    .where('id', '=', id)
    .execute();
  return id;
}
