import { monthToCome } from '#contract/profits.ts';
import { capitalOfMonth, openAtEnd, tradesOfMonth } from '#storage/profits/month-rows.ts';
import { nameBots } from '#storage/profits/group-names.ts';
import type { ProfitSums } from '#storage/profits/profits.ts';
import { closedProfits } from '#storage/profits/profits.ts';
import type { Database } from '#storage/database.ts';
import type { Handlers } from '../../calls/call.ts';
import type { Caller } from '../../calls/caller.ts';
import { seesAllBots } from '../../calls/caller.ts';
import { FileAnswer } from '../../calls/file-answer.ts';
import { OneAtATime } from '../../calls/one-at-a-time.ts';
import { HttpError } from '../../http/http-error.ts';
import type { ServerDependencies } from '../../server-dependencies.ts';
import type { FundLedger } from './fund-month.ts';
import { fundMonth } from './fund-month.ts';
import { fundPdf } from './fund-pdf.ts';
import type { Month } from './month.ts';
import { monthOf } from './month.ts';
import type { NamedSums, TraderMonth } from './trader-pdf.ts';
import { mostPositions, mostTrades, traderPdf } from './trader-pdf.ts';

/** A month as a PDF file, and that of the fund as figures. Everything in one is read at one moment of the database. */
export function statementHandlers({ db }: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'profitStatement' | 'fundMonth'> {
  const files = new OneAtATime(); // each takes the processor for some time
  const atOneMoment = <T>(read: (trx: Database) => Promise<T>): Promise<T> =>
    db.transaction().setIsolationLevel('repeatable read').execute(read);
  return {
    fundMonth: ({ query, now }) => atOneMoment(async (trx) => ({ ledgers: await readFundMonth(trx, begun(query.month, now)) })),

    async profitStatement({ caller, query, now }) {
      const month = begun(query.month, now);
      const file = await files.do(caller.id, () =>
        atOneMoment(async (trx) =>
          caller.role === 'investor'
            ? fundPdf(month, await readFundMonth(trx, month), now)
            : traderPdf(month, await readTraderMonth(trx, month, seesAllBots(caller) ? null : caller, now)),
        ),
      );
      return new FileAnswer(`statement_${query.month}.pdf`, file);
    },
  };
}

/** The month of a name; refused as long as it has not begun. */
function begun(name: string, now: Date): Month {
  const month = monthOf(name);
  if (month.start > now) throw new HttpError(400, monthToCome);
  return month;
}

async function readFundMonth(trx: Database, month: Month): Promise<FundLedger[]> {
  const capital = await capitalOfMonth(trx, month);
  const { totals: before } = await closedProfits(trx, { ownerId: null, from: null, to: month.dayBefore }, 'year');
  const { totals } = await closedProfits(trx, { ownerId: null, from: month.firstDay, to: month.lastDay }, 'year');
  return fundMonth(capital, before, totals);
}

async function readTraderMonth(trx: Database, month: Month, owner: Caller | null, now: Date): Promise<TraderMonth> {
  const ownerId = owner?.id ?? null;
  const inMonth = { ownerId, from: month.firstDay, to: month.lastDay };
  const { totals, groups: bots } = await closedProfits(trx, inMonth, 'bot');
  const { groups: pairs } = await closedProfits(trx, inMonth, 'pair');
  const of = { ownerId, start: month.start, end: month.end };
  return {
    whose: owner === null ? 'all bots' : `the bots of ${owner.email}`,
    totals,
    bots: await namedBots(trx, bots),
    pairs: pairs.map((sums) => ({ ...sums, name: sums.key })),
    trades: await tradesOfMonth(trx, of, mostTrades),
    open: await openAtEnd(trx, of, mostPositions),
    now,
  };
}

async function namedBots(db: Database, groups: readonly ProfitSums[]): Promise<NamedSums[]> {
  const names = new Map(
    (
      await nameBots(
        db,
        groups.map(({ key }) => key),
      )
    ).map(({ id, nickname }) => [id, nickname]),
  );
  return groups.map((sums) => ({ ...sums, name: names.get(sums.key) ?? 'Deleted bot' }));
}
