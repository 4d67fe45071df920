import type { profitRoutes } from '#contract/profits.ts';
import { openProfits } from '#storage/profits/open-profits.ts';
import type { ProfitSums } from '#storage/profits/profits.ts';
import { closedProfits } from '#storage/profits/profits.ts';
import type { z } from 'zod';
import type { Handlers } from '../calls/call.ts';
import { seesAllBots } from '../calls/caller.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { groupNames } from './group-names.ts';
import { statementHandlers } from './statement/statement.ts';

type Ledger = z.input<typeof profitRoutes.profits.reply>['ledgers'][number];

/** Real money first. */
const byReality: readonly Ledger['mode'][] = ['live', 'testnet', 'paper'];

const nothing = { trades: 0, wins: 0, losses: 0, profit: '0', fees: '0', funding: '0' } as const;

/** What the closed trades of the bots that the caller sees came to, as figures and as a statement of a month. */
export function profitHandlers(dependencies: ServerDependencies): Pick<Handlers, 'profits' | 'fundMonth' | 'profitStatement'> {
  const { db, markets } = dependencies;
  return {
    async profits({ caller, query, now }) {
      const of = {
        ownerId: seesAllBots(caller) ? null : caller.id,
        from: query.from ?? null,
        to: query.to ?? null,
      };
      const [closed, open] = await Promise.all([closedProfits(db, of, query.group), openProfits(db, of.ownerId)]);
      const keys = [...new Set(closed.groups.map(({ key }) => key))];
      const nameOf = await groupNames({ db, exchanges: markets.exchanges, caller }, query.group, keys);
      const kinds = new Map([...closed.totals, ...open].map(({ mode, currency }) => [`${mode} ${currency}`, { mode, currency }]));
      const ledgers = [...kinds.values()].map((kind): Ledger => {
        const isOfKind = ({ mode, currency }: { mode: string; currency: string }) => mode === kind.mode && currency === kind.currency;
        const total = closed.totals.find(isOfKind);
        const held = open.find(isOfKind);
        return {
          ...kind,
          figures: total === undefined ? nothing : figuresOf(total),
          unrealized: held === undefined ? '0' : held.profit,
          open_trades: held?.trades ?? 0,
          days: closed.days.filter(isOfKind).map((sums) => ({ day: sums.key, ...figuresOf(sums) })),
          groups: closed.groups.filter(isOfKind).map((sums) => ({ key: sums.key, ...nameOf(sums), ...figuresOf(sums) })),
        };
      });
      return { time: now.toISOString(), ledgers: ledgers.toSorted(realFirst) };
    },
    ...statementHandlers(dependencies),
  };
}

function figuresOf({ trades, wins, losses, profit, fees, funding }: ProfitSums) {
  return { trades, wins, losses, profit, fees, funding };
}

/** Real money first; within a mode the currency with the most trades. */
function realFirst(a: Ledger, b: Ledger): number {
  const reality = byReality.indexOf(a.mode) - byReality.indexOf(b.mode);
  return reality || b.figures.trades - a.figures.trades || a.currency.localeCompare(b.currency);
}
