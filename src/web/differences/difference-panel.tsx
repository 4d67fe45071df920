import { IconScale } from '@tabler/icons-react';
import { useExchanges } from '../api/use-exchanges.ts';
import { Button } from '../ui/button.tsx';
import { formatMoment } from '../ui/moment.ts';
import { amountText, differenceText, excessText } from './amount-text.ts';
import { choiceWords } from './choice-words.ts';
import type { Choice, Difference } from '../live/use-differences.ts';

/** Where the account of a bot differs from its trades: the amounts, since when, and what may be done about it. */
export function DifferencePanel({ difference, onChoose }: { difference: Difference; onChoose: (how: Choice['how']) => void }) {
  const { symbol, expected, actual, found_at: since, owner, nickname, exchange_id: exchangeId } = difference;
  const exchanges = useExchanges();
  const exchange = exchanges.data?.find(({ id }) => id === exchangeId)?.name ?? exchangeId;
  return (
    <section className="fl-panel differences-panel" aria-label={`The exchange holds something else: ${symbol}`}>
      <header className="fl-panel-head">
        <h2>
          <IconScale size={15} aria-hidden /> The Exchange Holds Something Else
        </h2>
        <div className="fl-panel-aside">
          {nickname}
          {owner === null ? '' : `, ${owner}`}; found {formatMoment(since)} UTC
        </div>
      </header>
      <div className="fl-panel-body">
        <p>
          {differenceText(difference, exchange)} The bot makes no entries until you decide and let it enter again. {difference.exits}
        </p>
        <dl className="differences-amounts fl-number">
          <Amount name="Symbol" value={symbol} />
          <Amount name="Trades say" value={amountText(expected, symbol)} />
          <Amount name="Account holds" value={amountText(actual, symbol)} />
          <Amount name="Difference" value={excessText(difference)} />
        </dl>
        <ul className="differences-choices" aria-label="What may be done">
          {difference.choices.map(({ how, may, text }) => (
            <li key={how}>
              <h3>{choiceWords[how].title}</h3>
              <p id={`${difference.id}-${how}`}>{text}</p>
              <Button
                variant={how === 'close' ? 'destructive' : 'secondary'}
                disabled={!may}
                aria-describedby={`${difference.id}-${how}`}
                onClick={() => onChoose(how)}
              >
                {choiceWords[how].button}
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function Amount({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
