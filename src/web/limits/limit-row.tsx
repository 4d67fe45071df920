import { TextInput } from '@mantine/core';
import { limitRanges } from '#contract/limits.ts';
import { formatMoment } from '../ui/moment.ts';
import type { Limit, Limits } from './limit-draft.ts';
import { fieldText, valueText } from './limit-draft.ts';
import { breachText, levelName, limitName } from './limit-words.ts';

/** See `LimitRow`. */
export interface LimitRowProps {
  limit: Limit;
  level: Limits['level'];
  entered: string | undefined; // what stands in its field and is not saved
  issue: string | null;
  isBusy: boolean;
  onChange: (text: string) => void;
}

/** A limit: what it is about, its value to be changed, the highest use of it now, and what happens when it is reached. */
export function LimitRow({ limit, level, entered, issue, isBusy, onChange }: LimitRowProps) {
  const { name, currency, stricter } = limit;
  const { unit } = limitRanges[name];
  const label = currency === null ? limitName(limit, level) : `${limitName(limit, level)}, ${currency}`;
  return (
    <tr>
      <th scope="row">
        {label}
        {stricter === null ? null : (
          <p className="limits-stricter">
            {levelName(stricter.level)}:{' '}
            {stricter.has_no_rate ? noRateText(limit) : `${valueText(limit, stricter.value)} is stricter and holds here too.`}
          </p>
        )}
        {limit.has_no_rate ? <p className="limits-stricter">{noRateText(limit)}</p> : null}
      </th>
      <td>
        <TextInput
          size="xs"
          className="limits-field"
          aria-label={`Limit: ${label}`}
          inputMode="decimal"
          autoComplete="off"
          value={entered ?? (hasNoValue(limit) ? '' : fieldText(limit, limit.value))}
          placeholder={limit.default === 0 ? '' : fieldText(limit, limit.default)}
          disabled={isBusy}
          error={issue}
          rightSection={unit === 'ratio' ? '%' : unit === 'times' ? 'x' : null}
          rightSectionWidth={unit === 'ratio' || unit === 'times' ? 24 : 8}
          onChange={(event) => onChange(event.currentTarget.value.replaceAll(',', '.').replaceAll(/[^\d.e-]/gu, ''))}
        />
        {isPlainDefault(limit) || limit.has_no_rate ? null : <p className="limits-note">{originText(limit)}</p>}
      </td>
      <td>
        <Use limit={limit} />
      </td>
      <td>{breachText(limit, level)}</td>
    </tr>
  );
}

/** From here on the bar warns, as a fraction of the limit. */
const warningShare = 0.8;

function Use({ limit }: { limit: Limit }) {
  const { name, use, value } = limit;
  if (isWithoutBots(limit)) return <span className="limits-note">no bot trades at an exchange in {limit.currency}</span>;
  if (limit.has_no_rate) return <span className="limits-note">nothing is entered</span>;
  if (use === null) return <span className="limits-note">checked at each entry</span>;
  const share = use / value;
  const isLoss = name === 'daily-loss' || name === 'drawdown';
  const isHigh = share >= warningShare && name !== 'leverage'; // a bot uses all of its leverage
  const tone = share > 1 || (isLoss && share === 1) ? ' limits-use-full' : isHigh ? ' limits-use-high' : '';
  return (
    <div className={`limits-use${tone}`}>
      <span className="limits-bar" aria-hidden>
        <span style={{ width: `${Math.min(share, 1) * 100}%` }} />
      </span>
      <span>
        {valueText(limit, use)} of {valueText(limit, value)}
      </span>
    </div>
  );
}

/** Amounts of a user or the server follow from the capital of the bots they count, and there may be none. */
function isWithoutBots({ value }: Limit): boolean {
  return value === 0;
}

function hasNoValue(limit: Limit): boolean {
  return isWithoutBots(limit) || limit.has_no_rate;
}

function noRateText({ currency }: Limit): string {
  return `Set in other currencies alone, which cannot be compared with ${currency ?? 'this one'}: nothing is entered.`;
}

/** Of values nobody has set the note of the table speaks, once for all of them. */
function isPlainDefault(limit: Limit): boolean {
  return limit.is_default && !isWithoutBots(limit);
}

function originText(limit: Limit): string {
  if (limit.is_default) return 'default: follows from the capital of the bots';
  const by = limit.set_by ?? (limit.may_raise ? null : 'an administrator');
  const at = limit.set_at === null ? '' : ` ${formatMoment(limit.set_at)}`;
  const bound = limit.ceiling === null || limit.ceiling === limit.value ? '' : `; at most ${valueText(limit, limit.ceiling)}`;
  return `set${by === null ? '' : ` by ${by}`}${at}${bound}; default ${valueText(limit, limit.default)}`;
}
