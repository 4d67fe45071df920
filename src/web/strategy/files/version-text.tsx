import type { CallReply } from '#contract/client.ts';
import { useState } from 'react';
import { messageOf } from '../../api/api-error.ts';
import { FailedLoad } from '../../ui/failed-load.tsx';
import { LoadingRows } from '../../ui/skeleton.tsx';
import { SelectBox } from '../../ui/select-box.tsx';
import { formatRatio } from '../../ui/ratio.ts';
import { parameterTitle } from '../../ui/parameter-text.ts';
import { seriesText } from '../series-text.ts';
import type { DifferenceLine } from './line-difference.ts';
import { lineDifference } from './line-difference.ts';
import type { FileStrategy } from './use-strategy-files.ts';
import { useStrategyCode } from './use-strategy-files.ts';

type Code = CallReply<'strategyCode'>;

/** See `VersionText`. */
export interface VersionTextProps {
  strategy: FileStrategy;
  earlier: number; // the version it is compared with at first; 0 for none
}

/** The newest version of a strategy beside an earlier one: what it says of itself, and for admins the lines of its files. */
export function VersionText({ strategy: { id, version }, earlier }: VersionTextProps) {
  const [chosen, setChosen] = useState(earlier);
  const after = useStrategyCode(id, version);
  const before = useStrategyCode(id, chosen);
  const failed = [after, before].find(({ isError }) => isError);
  const choices = Array.from({ length: version - 1 }, (_, i) => ({ value: String(version - 1 - i), label: `Version ${version - 1 - i}` }));
  if (failed !== undefined)
    return (
      <FailedLoad
        text="The version could not be loaded."
        detail={messageOf(failed.error)}
        isLoading={failed.isFetching}
        onRetry={() => void failed.refetch()}
      />
    );
  if (after.data === undefined || (chosen > 0 && before.data === undefined))
    return <LoadingRows label="Loading the version" rows={3} height={24} />;
  return (
    <div className="file-texts">
      {choices.length === 0 ? null : (
        <SelectBox label={`Version ${version} beside`} options={choices} value={String(chosen)} onChange={(to) => setChosen(Number(to))} />
      )}
      <Facts before={before.data} after={after.data} />
      {after.data.files === null ? null : <Texts before={before.data?.files ?? null} after={after.data.files} />}
    </div>
  );
}

/** What a version says of itself; what was different before is struck through. */
function Facts({ before, after }: { before: Code | undefined; after: Code }) {
  const earlier = before === undefined ? undefined : factsOf(before);
  const later = factsOf(after);
  const names = [...new Set([...Object.keys(earlier ?? {}), ...Object.keys(later)])];
  return (
    <dl className="file-facts fl-number" aria-label="What it says of itself">
      {names.map((name) => {
        const [was, is] = [earlier?.[name] ?? 'none', later[name] ?? 'none'];
        return (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {earlier === undefined || was === is ? null : <s>{was}</s>} {is}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function factsOf(code: Code): Record<string, string> {
  return {
    Timeframe: code.timeframe ?? 'none',
    'Stop loss': formatRatio(code.stoploss, 2),
    'Minimal ROI':
      Object.entries(code.minimal_roi)
        .map(([minutes, ratio]) => `${formatRatio(ratio, 2)} after ${minutes} min`)
        .join(', ') || 'none',
    'Trailing stop': code.trailing_stop ? 'on' : 'off',
    Shorts: code.can_short ? 'yes' : 'no',
    'Candles needed first': String(code.startup_candles),
    'Reads besides': seriesText(code.series),
    ...Object.fromEntries(code.parameters.map((each) => [parameterTitle(each.name), String(each.default)])),
    'Decides itself': code.callbacks.join(', ') || 'nothing',
  };
}

/** The files of a version, line by line; only lines near a change where there is an earlier one. */
function Texts({ before, after }: { before: Readonly<Record<string, string>> | null; after: Readonly<Record<string, string>> }) {
  const paths = [...new Set([...Object.keys(after), ...Object.keys(before ?? {})])].sort();
  return paths.map((path) => {
    const text = after[path] ?? '';
    const lines: DifferenceLine[] =
      before === null ? text.split('\n').map((line) => ({ kind: 'same', text: line })) : lineDifference(before[path] ?? '', text);
    const count = (kind: DifferenceLine['kind']) => lines.filter((line) => line.kind === kind).length;
    return (
      <figure key={path} className="file-code">
        <figcaption>
          <b>{path}</b> <span>{before === null ? '' : `lines added: ${count('added')}, removed: ${count('removed')}`}</span>
        </figcaption>
        {/* A text that scrolls is reached by the keyboard. */}
        <pre tabIndex={0} aria-label={path}>
          {lines.map(({ kind, text: line }, i) => (
            <span key={i} className={`file-line-${kind}`}>
              {marks[kind]} {line}
              {'\n'}
            </span>
          ))}
        </pre>
      </figure>
    );
  });
}

const marks: Readonly<Record<DifferenceLine['kind'], string>> = { same: ' ', added: '+', removed: '-' };
