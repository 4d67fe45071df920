import type { Importance } from '#engine/lab/importance.ts';
import { CardPanel } from '../../ui/card-panel.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatRatio } from '../../ui/ratio.ts';
import { dimensionTitle } from './study-words.ts';
import type { StudyDimension } from './use-studies.ts';

/** So many are shown. */
const mostShown = 8;

/** How much of the differences between tries comes with each number that is searched. */
export function WhatMatters({ importance, dimensions }: { importance: readonly Importance[]; dimensions: readonly StudyDimension[] }) {
  const shown = importance.slice(0, mostShown);
  return (
    <CardPanel title="What Matters" aside={<span>share of the variation</span>}>
      {shown.every(({ share }) => share === 0) ? (
        <EmptyState text="Nothing stands out yet." minHeight={180} />
      ) : (
        <>
          <dl className="st-bars">
            {shown.map(({ name, share }) => {
              const dimension = dimensions.find((each) => each.name === name);
              return (
                <div key={name}>
                  <dt>{dimension === undefined ? name : dimensionTitle(dimension)}</dt>
                  <dd>
                    <i aria-hidden>
                      <i style={{ width: `${share * 100}%` }} />
                    </i>
                    <span className="fl-number">{formatRatio(share, 0)}</span>
                  </dd>
                </div>
              );
            })}
          </dl>
          <p className="bp-note">Of the differences between tries that one number alone explains; by rank (a correlation ratio).</p>
        </>
      )}
    </CardPanel>
  );
}
