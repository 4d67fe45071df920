import { toneOf } from '../../../ui/money.ts';
import { Sparkline } from '../../../ui/sparkline.tsx';
import type { BotForm } from '../use-bot-form.ts';
import { noTradesText, profitText, rulesText, tradesText } from './hindsight-text.ts';
import type { Hindsight, HindsightReply } from './use-hindsight.ts';
import { useHindsight } from './use-hindsight.ts';

/** What the entries of the form would have done over the last 30 days. A component of its own, so that the form is not drawn with it. */
export function HindsightLine({ form }: { form: BotForm }) {
  const hindsight = useHindsight(form);
  const { reply, isCurrent } = hindsight;
  const nameOf = (exchangeId: string): string => form.exchanges.find(({ id }) => id === exchangeId)?.name ?? exchangeId;
  const state = stateText(hindsight);
  const stateLine = state === null ? null : <p className="bot-hindsight-state">{state}</p>;
  return (
    <div
      className="bot-hindsight"
      role="status"
      aria-label="The last 30 days with these settings"
      aria-busy={hindsight.isAsked && !isCurrent}
    >
      {reply?.figures === undefined || reply.figures === null ? (
        stateLine
      ) : (
        <div className="bot-hindsight-answer" data-old={isCurrent ? undefined : true}>
          <Figures figures={reply.figures} exchangeName={nameOf(reply.figures.exchange_id)} />
          {stateLine}
        </div>
      )}
    </div>
  );
}

function Figures({ figures, exchangeName }: { figures: NonNullable<HindsightReply['figures']>; exchangeName: string }) {
  const { starting_balance: capital, no_trades: noTrades, stake_currency: currency } = figures;
  return (
    <>
      {noTrades === null ? (
        <p className="bot-hindsight-line fl-number">
          These settings, last 30 days: <strong className={`fl-${toneOf(figures.profit, currency)}`}>{profitText(figures)}</strong>
          {`, ${tradesText(figures)}`}
        </p>
      ) : (
        <p className="bot-hindsight-line">
          <strong>No trade in the last 30 days.</strong> {noTradesText(noTrades)}
        </p>
      )}
      {noTrades === null ? (
        <Sparkline
          values={figures.equity.map(({ value }) => value - capital)}
          what="PnL of the 30 days"
          currency={currency}
          width={112}
          height={28}
        />
      ) : null}
      <p className="bot-hindsight-rules">{rulesText(figures, exchangeName)}</p>
    </>
  );
}

/** What is said besides figures, or null when the figures say it all. */
function stateText({ isAsked, isCurrent, reply, failure }: Hindsight): string | null {
  if (!isAsked) return 'Complete the entries to see what they would have done over the last 30 days.';
  if (failure !== null) return `The last 30 days cannot be calculated: ${failure}`;
  if (!isCurrent || reply === null) return 'Calculating the last 30 days with these settings ...';
  if (reply.state === 'downloading') return `Downloading the candles of the last 30 days. ${reply.why ?? ''}`;
  return reply.state === 'unavailable' ? `The last 30 days cannot be calculated. ${reply.why ?? ''}` : null;
}
