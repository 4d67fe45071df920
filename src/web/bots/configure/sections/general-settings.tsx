import { botModes } from '#contract/fields.ts';
import { marketTypes } from '#engine/market/instrument.ts';
import { Autocomplete, TextInput } from '@mantine/core';
import { SelectBox } from '../../../ui/select-box.tsx';
import type { OwnEntries } from '../own/own-entries.ts';
import { withoutOwn } from '../own/own-entries.ts';
import { EffectiveValues } from './effective-values.tsx';
import type { FieldsProps } from './form-fields.ts';
import { wasText } from './form-fields.ts';

/** See `GeneralSettings`. */
export interface GeneralSettingsProps extends FieldsProps {
  emails: readonly string[]; // suggested
  showsOwner: boolean;
}

/** Whose bot it is, what it is called, and what it trades where. */
export function GeneralSettings({ form, invalid, emails, showsOwner }: GeneralSettingsProps) {
  const { entries, stored, change, strategies, exchanges, limits } = form;
  const isStored = stored !== null;
  return (
    <fieldset className="bot-fields">
      <legend>General Settings</legend>
      {showsOwner ? (
        <div data-field="userEmail">
          <Autocomplete
            label="User Email"
            size="xs"
            placeholder="Whose bot it will be"
            data={[...emails]}
            limit={50}
            openOnFocus={false}
            comboboxProps={{ transitionProps: { duration: 0 } }}
            autoComplete="off"
            disabled={isStored}
            error={invalid === 'userEmail'}
            value={entries.userEmail}
            onChange={(userEmail) => change({ userEmail })}
          />
        </div>
      ) : null}
      <div data-field="nickname">
        <TextInput
          label="Nickname"
          placeholder="Optional: named after strategy and exchange"
          maxLength={60}
          error={invalid === 'nickname'}
          {...wasText(form, 'nickname')}
          value={entries.nickname}
          onChange={(event) => change({ nickname: event.currentTarget.value })}
        />
      </div>
      <div data-field="exchangeId">
        <SelectBox
          label="Exchange"
          placeholder="Select an exchange"
          searchable
          invalid={invalid === 'exchangeId'}
          options={withCurrent(exchanges, entries.exchangeId ?? '')}
          value={entries.exchangeId === '' ? null : entries.exchangeId}
          onChange={(exchangeId) => change({ exchangeId })}
        />
      </div>
      <div data-field="strategyId">
        <SelectBox
          label="Strategy"
          placeholder="Select a strategy"
          searchable
          disabled={isStored}
          invalid={invalid === 'strategyId'}
          options={
            isStored ? [{ value: stored.strategy_id, label: stored.strategy_name }] : withCurrent(strategies, entries.strategyId ?? '')
          }
          value={entries.strategyId === '' ? null : entries.strategyId}
          onChange={(strategyId) => change({ strategyId, own: withoutParameters(entries.own) })}
        />
      </div>
      <div data-field="marketType">
        <SelectBox
          label="Market Type"
          disabled={entries.exchangeId === ''}
          {...(entries.exchangeId === '' ? { hint: 'Choose an exchange first' } : {})}
          invalid={invalid === 'marketType'}
          options={marketTypes}
          value={entries.marketType === '' ? null : entries.marketType}
          onChange={(marketType) => change({ marketType })}
        />
      </div>
      <div data-field="mode">
        <SelectBox
          label="Trading Mode"
          options={botModes}
          value={entries.mode}
          {...(entries.mode === 'live' && !limits.live_trading_enabled ? { hint: 'Live trading is switched off on this server' } : {})}
          onChange={(mode) => change({ mode })}
        />
      </div>
      <EffectiveValues stored={stored} strategy={strategies.find(({ id }) => id === entries.strategyId)} own={entries.own} />
    </fieldset>
  );
}

/** Another strategy has other parameters. */
function withoutParameters(own: OwnEntries): OwnEntries {
  return withoutOwn(
    own,
    Object.keys(own).filter((name) => name.startsWith('parameters.')),
  );
}

/** The choices by id and name; what is chosen is among them also while they are not loaded. */
function withCurrent(choices: readonly { id: string; name: string }[], chosen: string): { value: string; label: string }[] {
  const options = choices.map(({ id, name }) => ({ value: id, label: name }));
  return chosen === '' || choices.some(({ id }) => id === chosen) ? options : [{ value: chosen, label: chosen }, ...options];
}
