import type { CallReply } from '#contract/client.ts';
import { heldData } from '../api/outage.ts';
import type { Pulse } from './use-pulse.ts';
import { usePulse } from './use-pulse.ts';

/** The kill switch as the caller sees it. */
export type TradingView = CallReply<'getTradingState'>;

/** One switch that was set. */
export type TradingSwitch = TradingView['switches'][number];

/** What a switch leaves of trading. */
export type TradingState = TradingSwitch['state'];

/** The kill switch, polled while the dashboard is open; undefined while not loaded. After a failure the last state is kept. */
export function useTradingState(): { view: TradingView | undefined; error: unknown; isLoading: boolean; reload: () => Promise<unknown> } {
  const query = usePulse(tradingOfPulse);
  return { view: heldData(query), error: query.error, isLoading: query.isFetching, reload: query.refetch };
}

const tradingOfPulse = ({ trading }: Pulse) => trading;
