import { MultiSelectBox } from '../../../ui/multi-select-box.tsx';
import { SelectBox } from '../../../ui/select-box.tsx';
import { leftMaxOpenTrades, leftStake } from '../bot-entries.ts';
import type { FieldsProps } from './form-fields.ts';
import { wasOf } from './form-fields.ts';
import { NumberField } from './number-field.tsx';

/** What the bot pays with, how much, and which pairs it trades. */
export function TradingSettings({ form, invalid }: FieldsProps) {
  const { entries, change, currencies, pairs, limits } = form;
  const waitsForMarket = entries.exchangeId === '' || entries.marketType === '';
  const currency = entries.stakeCurrency ?? '';
  const chosen = entries.pairs ?? [];
  return (
    <fieldset className="bot-fields">
      <legend>Trading Settings</legend>
      <div data-field="stakeCurrency">
        <SelectBox
          label="Stake Currency"
          placeholder="Select a currency"
          searchable
          disabled={waitsForMarket}
          {...(waitsForMarket ? { hint: 'Choose exchange and market type first' } : {})}
          invalid={invalid === 'stakeCurrency'}
          options={currency === '' || currencies.includes(currency) ? currencies : [currency, ...currencies]}
          value={currency === '' ? null : currency}
          onChange={(stakeCurrency) => change({ stakeCurrency })}
        />
      </div>
      <div data-field="stakeAmount">
        <NumberField
          label="Stake Amount"
          unit={currency}
          hint={wasOf(form, 'stakeAmount') ?? 'per trade, in the stake currency'}
          invalid={invalid === 'stakeAmount'}
          value={entries.stakeAmount}
          onChange={(stakeAmount) => change({ stakeAmount })}
          onLeave={(text) => leave(text, leftStake(text, limits), (stakeAmount) => change({ stakeAmount }))}
        />
      </div>
      <div data-field="maxOpenTrades">
        <NumberField
          label="Max Open Trades"
          hint={wasOf(form, 'maxOpenTrades') ?? `${limits.max_open_trades.min} to ${limits.max_open_trades.max}`}
          invalid={invalid === 'maxOpenTrades'}
          value={entries.maxOpenTrades}
          onChange={(maxOpenTrades) => change({ maxOpenTrades })}
          onLeave={(text) => leave(text, leftMaxOpenTrades(text, limits), (maxOpenTrades) => change({ maxOpenTrades }))}
        />
      </div>
      <div data-field="pairs" className="bot-wide">
        <MultiSelectBox
          label="Trading Pairs"
          disabled={waitsForMarket || currency === ''}
          placeholder={pairs.length === 0 ? '' : `Type to search ${pairs.length} pairs`}
          hint={
            waitsForMarket || currency === ''
              ? 'Choose a stake currency first'
              : (wasOf(form, 'pairs') ?? 'Changing exchange, market type or currency clears the pairs.')
          }
          invalid={invalid === 'pairs'}
          options={[...chosen.filter((pair) => !pairs.includes(pair)), ...pairs]}
          value={chosen}
          onChange={(values) => change({ pairs: values })}
        />
      </div>
    </fieldset>
  );
}

function leave(text: string, left: string, change: (text: string) => void): void {
  if (left !== text) change(left);
}
