import { TextInput } from '@mantine/core';
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react';
import { Button } from '../ui/button.tsx';
import { Direction } from '../ui/direction.tsx';
import { formatPnl, formatPrice, quoteOf, settleOf, toneOf } from '../ui/money.ts';
import { ImportedMark } from '../ui/imported-mark.tsx';
import { formatMoment } from '../ui/moment.ts';
import { notAvailable } from '../ui/ratio.ts';
import { setDraft } from './drafts-store.ts';
import type { PaperTrade } from './trade-list.ts';
import { outcomeOf } from './trade-list.ts';

/** See `TradeRow`. */
export interface TradeRowProps {
  trade: PaperTrade;
  botName: string | null; // null while unknown
  place: number; // in the list, from 0
  draft: string | undefined; // what was typed and not saved
  isSaving: boolean;
  onSave: (comment: string) => void;
}

const outcomeIcons = { win: IconCheck, loss: IconX, neutral: IconMinus } as const;

/** A paper trade and the comment on it. */
export function TradeRow({ trade, botName, place, draft, isSaving, onSave }: TradeRowProps) {
  const { trade_id: id, symbol, direction, entry_price: entry, pnl, comment } = trade;
  const currency = settleOf(symbol);
  const outcome = outcomeOf(trade);
  const Outcome = outcomeIcons[outcome];
  const text = draft ?? comment ?? '';
  const isChanged = text !== (comment ?? '');
  const time = formatMoment(trade.timestamp);
  const save = () => {
    if (isChanged && !isSaving) onSave(text);
  };
  return (
    <tr className="paper-row" data-changed={isChanged || undefined} aria-rowindex={place + 2}>
      <td className="paper-time">{time}</td>
      <td className="paper-bot" title={botName ?? ''}>
        {botName ?? ''}
        <ImportedMark from={trade.imported_from} />
      </td>
      <td className="paper-pair">{symbol}</td>
      <td className="paper-dir">
        <Direction direction={direction} />
      </td>
      <td className="paper-entry">{entry === null ? notAvailable : formatPrice(entry, quoteOf(symbol))}</td>
      <td className="paper-outcome">
        <Outcome size={14} aria-hidden /> {outcome}
      </td>
      <td className={`paper-pnl ${pnl === null ? 'paper-dim' : `fl-${toneOf(pnl, currency)}`}`}>
        {pnl === null ? notAvailable : formatPnl(pnl, currency)}
      </td>
      <td className="paper-comment">
        <div>
          <TextInput
            aria-label={`Comment on the trade of ${time}, ${symbol}`}
            placeholder="Add ML comment"
            maxLength={2000}
            value={text}
            title={text}
            onChange={({ currentTarget }) => setDraft(id, currentTarget.value)}
            onKeyDown={({ key }) => {
              if (key === 'Enter') save();
            }}
          />
          <Button
            variant={isChanged ? 'primary' : 'secondary'}
            loading={isSaving}
            disabled={!isChanged}
            onClick={save}
            aria-label={`Save the comment on the trade of ${time}, ${symbol}`}
          >
            Save
          </Button>
        </div>
      </td>
    </tr>
  );
}
