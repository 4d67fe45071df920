import type { BotEffect } from '#engine/bot/effect.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import type { FundingFeed } from '#feeds/funding-feed.ts';
import type { Database } from '#storage/database.ts';
import type { StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import type { OrderAccounts } from '../orders/order-accounts.ts';
import type { DecisionLog } from './decision-log.ts';
import type { SignalFeed } from './signal-feed.ts';
import type { StepWriter } from './step-writer.ts';

/** What all bots of a runner share. */
export interface BotDependencies {
  db: Database;
  runnerId: () => string; // changes with each lease, so that what an earlier one began is refused
  signals: SignalFeed;
  processes: StrategyProcesses; // of strategies that are not part of the program
  funding: FundingFeed;
  fundingPatienceMs?: number | undefined; // how long a step waits for payments of funding, where that is not what the product says
  decisions: DecisionLog;
  steps: StepWriter;
  accounts: OrderAccounts;
  market(exchangeId: string, marketType: MarketType): Promise<MarketData>;
  now: () => number;
  onEffects?: ((effects: readonly BotEffect[]) => void) | undefined; // of steps that hold, to be counted
  /** The bot cannot continue: it is another's, or changed, or what is in the database is not certain. It starts again from there. */
  onEnd(bot: { readonly id: string; readonly changedAt: string }, error: unknown): void;
  log(message: string, details: object): void;
}
