import { monthToCome } from '#contract/profits.ts';
import { capitalOfMonth, openAtEnd, tradesOfMonth } from '#storage/profits/month-rows.ts';
import { nameBots } from '#storage/profits/group-names.ts';
import type { ProfitSums } from '#storage/profits/profits.ts';
import { closedProfits } from '#storage/profits/profits.ts';
import type { Database } from '#storage/database.ts';
import type { Handlers } from '../../calls/call.ts';
import { seesAllBots } from '../../calls/caller.ts';
import { FileAnswer } from '../../calls/file-answer.ts';
import { OneAtATime } from '../../calls/one-at-a-time.ts';
import { HttpError } from '../../http/http-error.ts';
import type { ServerDependencies } from '../../server-dependencies.ts';
import { fundMonth } from './fund-month.ts';
import { fundPdf } from './fund-pdf.ts';
import { monthOf } from './month.ts';
import type { NamedSums } from './trader-pdf.ts';
import { mostPositions, mostTrades, traderPdf } from './trader-pdf.ts';

/** A month as a PDF file. Everything in one is read at one moment of the database. */
export function statementHandlers({ db }: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'profitStatement'> {
  const files = new OneAtATime(); // each takes the processor for some time
  return {
    async profitStatement({ caller, query, now }) {
      const month = monthOf(query.month);
      if (month.start > now) throw new HttpError(400, monthToCome);
      const ownerId = seesAllBots(caller) ? null : caller.id;
      const file = await files.do(caller.id, async () =>
        db
          .transaction()
          .setIsolationLevel('repeatable read')
          .execute(async (trx) => {
            const inMonth = { ownerId, botId: null, from: month.firstDay, to: month.lastDay };
            const bots = await closedProfits(trx, inMonth, 'bot');
            if (caller.role === 'investor') {
              const { totals: before } = await closedProfits(trx, { ...inMonth, from: null, to: month.dayBefore }, 'year');
              return fundPdf(month, fundMonth(await capitalOfMonth(trx, month), before, bots.totals), now);
            }
            const { groups: pairs } = await closedProfits(trx, inMonth, 'pair');
            const of = { ownerId, ...month };
            return traderPdf(month, {
              whose: ownerId === null ? 'all bots' : `the bots of ${caller.email}`,
              totals: bots.totals,
              bots: await namedBots(trx, bots.groups),
              pairs: pairs.map((sums) => ({ ...sums, name: sums.key })),
              trades: await tradesOfMonth(trx, of, mostTrades),
              open: await openAtEnd(trx, of, mostPositions),
              now,
            });
          }),
      );
      return new FileAnswer(`statement_${query.month}.pdf`, file);
    },
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
