import { AsOf } from '../live/as-of.tsx';
import { chartPollMs } from '../live/use-live-status.ts';
import type { KnownPrice } from './current-price.ts';

/** When the price was last known; once its source, or the server, has fallen silent, how old it is. */
export function PriceAge({ price }: { price: KnownPrice }) {
  return <AsOf times={{ ...price, everyMs: chartPollMs }} />;
}
