import { Button } from '../../../ui/button.tsx';
import { LoadingRows } from '../../../ui/skeleton.tsx';
import type { FieldsProps } from '../sections/form-fields.ts';
import { useParameters } from '../use-offered.ts';
import { OwnControl } from './own-control.tsx';
import type { OwnEntries } from './own-entries.ts';
import { ownCount, ownText, withoutOwn } from './own-entries.ts';
import type { OwnRow } from './own-rows.ts';
import { namesOf, parameterRows, tradingRows } from './own-rows.ts';

/** The settings of the strategy, and what the bot sets in their place. */
export function OwnSettings({ form, invalid }: FieldsProps) {
  const { entries, change } = form;
  const strategyId = entries.strategyId ?? '';
  const strategy = form.strategies.find(({ id }) => id === strategyId);
  const parameters = useParameters(strategyId);
  const own = entries.own;
  const count = ownCount(own);
  const known = new Set((parameters.list ?? []).map(({ name }) => `parameters.${name}`));
  const gone = parameters.list === undefined ? [] : Object.keys(own).filter((name) => name.startsWith('parameters.') && !known.has(name));
  const rows = (list: readonly OwnRow[]) =>
    list.map((row) => <Row key={row.name} form={form} row={row} isInvalid={invalid === `own.${row.name}`} />);
  if (strategy === undefined) return null;
  return (
    <fieldset className="bot-fields bot-own">
      <legend>Strategy Settings</legend>
      <p className="bot-hint-line">
        <span>
          {count === 0 ? 'Everything is inherited: what an admin changes of the strategy reaches this bot.' : `${ownText(count)}.`}
        </span>
        {count === 0 ? null : (
          <Button variant="ghost" size="small" onClick={() => change({ own: {} })}>
            Inherit All
          </Button>
        )}
      </p>
      <div className="bot-own-head" aria-hidden>
        <span>Setting</span>
        <span>Strategy</span>
        <span>This Bot</span>
      </div>
      <ul aria-label="Settings of the strategy">{rows(tradingRows(strategy))}</ul>
      <h3 className="bot-own-title">Parameters</h3>
      {parameters.list !== undefined ? (
        parameters.list.length === 0 && gone.length === 0 ? (
          <p className="bot-hint-line">The strategy has no parameters.</p>
        ) : (
          <>
            <p className="bot-hint-line">Other parameters decide from the next candle that closes.</p>
            <ul aria-label="Parameters of the strategy">
              {rows(parameterRows(parameters.list))}
              {gone.map((name) => (
                <Gone key={name} name={name} own={own} onInherit={() => change({ own: withoutOwn(own, [name]) })} />
              ))}
            </ul>
          </>
        )
      ) : parameters.hasFailed ? (
        <p className="bot-hint-line">
          <span>The parameters could not be loaded.</span>
          <Button variant="ghost" size="small" onClick={parameters.reload}>
            Try Again
          </Button>
        </p>
      ) : (
        <LoadingRows label="Loading parameters" rows={3} height={36} />
      )}
    </fieldset>
  );
}

function Row({ form, row, isInvalid }: { form: FieldsProps['form']; row: OwnRow; isInvalid: boolean }) {
  const { entries, storedEntries, change } = form;
  const names = namesOf(row);
  const isOwn = names.some((name) => name in entries.own);
  const stored = storedEntries?.own ?? {};
  const isChanged = storedEntries !== null && names.some((name) => entries.own[name] !== stored[name]);
  const set = (changes: OwnEntries) => change({ own: { ...entries.own, ...changes } });
  return (
    <li className="bot-own-row" data-own={isOwn || undefined} data-field={`own.${row.name}`}>
      <div className="bot-own-name">
        <span>{row.title}</span>
        {isChanged ? <span className="bot-own-was">{wasText(stored, names)}</span> : null}
      </div>
      <span className="bot-own-theirs fl-number">{row.ofStrategy}</span>
      <div className="bot-own-mine">
        {isOwn ? (
          <OwnControl row={row} entries={entries.own} invalid={isInvalid} onChange={set} />
        ) : (
          <span className="bot-own-inherited">inherited</span>
        )}
        {isOwn ? <p className="bot-label">{row.hint}</p> : null}
      </div>
      {isOwn ? (
        <Button
          variant="ghost"
          size="small"
          aria-label={`Inherit ${row.title}`}
          onClick={() => change({ own: withoutOwn(entries.own, names) })}
        >
          Inherit
        </Button>
      ) : (
        <Button variant="ghost" size="small" aria-label={`Set own ${row.title}`} onClick={() => set(row.entries)}>
          Set Own
        </Button>
      )}
    </li>
  );
}

function wasText(stored: OwnEntries, [first = '']: readonly string[]): string {
  const was = stored[first];
  if (was === undefined) return 'was inherited';
  if (first === 'minimal_roi' || first === 'trailing_stop') return 'changed';
  return was === '' ? 'was none' : `was ${was}${first === 'stoploss' ? '%' : ''}`;
}

function Gone({ name, own, onInherit }: { name: string; own: OwnEntries; onInherit: () => void }) {
  const title = name.slice('parameters.'.length);
  return (
    <li className="bot-own-row" data-own>
      <div className="bot-own-name">
        <span>{title}</span>
      </div>
      <span className="bot-own-theirs">no longer there</span>
      <div className="bot-own-mine">
        <span className="fl-number">{own[name]}</span>
        <p className="bot-label">The strategy has no such parameter any more: it counts for nothing.</p>
      </div>
      <Button variant="ghost" size="small" aria-label={`Inherit ${title}`} onClick={onInherit}>
        Remove
      </Button>
    </li>
  );
}
