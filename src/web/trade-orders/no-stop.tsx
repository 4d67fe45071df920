import { IconShieldOff } from '@tabler/icons-react';
import { formatMoment } from '../ui/moment.ts';
import { noStopWords } from '../ui/no-stop-words.ts';
import type { TradeOrders } from './use-trade-orders.ts';

/** Says that nothing at the exchange limits what an open trade can lose, since when, and why as far as that is known. */
export function NoStop({ since, ...why }: NonNullable<TradeOrders['no_stop']>) {
  const { title, text } = noStopWords(why);
  return (
    <section className="orders-no-stop fl-number" aria-label={title}>
      <IconShieldOff size={20} aria-hidden />
      <p>
        <b>
          {title} since {formatMoment(since)} UTC.
        </b>{' '}
        {text}
      </p>
    </section>
  );
}
