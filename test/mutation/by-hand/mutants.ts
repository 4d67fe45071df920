import { accounts } from './accounts.ts';
import { byHand } from './by-hand.ts';
import { certificates } from './certificates.ts';
import { engine } from './engine.ts';
import { exchange } from './exchange.ts';
import { factors } from './factors.ts';
import { lab } from './lab.ts';
import { meetingsAtTheDoor } from './meetings-at-the-door.ts';
import { meetingsInWindows } from './meetings-in-windows.ts';
import { meetingsOfBots } from './meetings-of-bots.ts';
import { meetingsOfLab } from './meetings-of-lab.ts';
import { meetingsOfStrategies } from './meetings-of-strategies.ts';
import { meetingsOfParts } from './meetings-of-parts.ts';
import { meetingsOfProcesses } from './meetings-of-processes.ts';
import { meetingsOfPeople } from './meetings-of-people.ts';
import { meetingsOnPagesOfTrades } from './meetings-on-pages-of-trades.ts';
import { meetingsOnPagesOfMoney } from './meetings-on-pages-of-money.ts';
import { meetingsOnPages } from './meetings-on-pages.ts';
import { meetingsWithExchanges } from './meetings-with-exchanges.ts';
import type { Mutant } from './mutant.ts';
import { outside } from './outside.ts';
import { rules } from './rules.ts';
import { runner } from './runner.ts';
import { sandbox } from './sandbox.ts';
import { severalSeries } from './series.ts';
import { server } from './server.ts';
import { storage } from './storage.ts';
import { web } from './web.ts';

/** All changes that `npm run torture mutants` tries, one at a time. */
export const mutants: readonly Mutant[] = [
  ...engine,
  ...byHand,
  ...runner,
  ...storage,
  ...exchange,
  ...sandbox,
  ...server,
  ...accounts,
  ...factors,
  ...rules,
  ...severalSeries,
  ...lab,
  ...certificates,
  ...outside,
  ...web,
  ...meetingsAtTheDoor,
  ...meetingsInWindows,
  ...meetingsOfBots,
  ...meetingsOfLab,
  ...meetingsOfParts,
  ...meetingsOfPeople,
  ...meetingsOfStrategies,
  ...meetingsOnPages,
  ...meetingsOnPagesOfMoney,
  ...meetingsOnPagesOfTrades,
  ...meetingsOfProcesses,
  ...meetingsWithExchanges,
];
