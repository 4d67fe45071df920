import { formatSignedRatio } from '../../ui/ratio.ts';
import type { StudyFacts } from './use-studies.ts';

type Windows = NonNullable<NonNullable<StudyFacts['judgement']>['rolling']>['windows'];

const [width, height, top, bottom] = [320, 92, 6, 18];

/** What each choice made where it was chosen, and beside it what it made in the stretch that followed: profits a day. */
export function WalkBars({ windows }: { windows: Windows }) {
  if (windows.length === 0) return null;
  const all = windows.flatMap(({ chosen, next }) => [chosen, next]);
  const [least, most] = [Math.min(0, ...all), Math.max(0, ...all)];
  const span = most - least || 1;
  const y = (value: number): number => top + ((most - value) / span) * (height - top - bottom);
  const each = width / windows.length;
  const bar = Math.min(22, each / 3);
  const words = windows.map(({ chosen, next }) => `${dayText(chosen)} then ${dayText(next)}`).join('; ');
  return (
    <figure className="st-walk">
      <figcaption>
        <span>Walk forward, rolling, profit a day</span>
        <span className="st-legend">
          <span className="st-walk-key" data-of="fitted" /> fitted <span className="st-walk-key" data-of="unseen" /> unseen
        </span>
      </figcaption>
      <svg
        className="st-chart"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Profit a day where a try was chosen, then where it was not seen: ${words}`}
      >
        {windows.map(({ chosen, next }, i) => {
          const middle = (i + 0.5) * each;
          return (
            <g key={i}>
              <Bar x={middle - bar - 2} width={bar} from={y(0)} to={y(chosen)} name="fitted" />
              <Bar x={middle + 2} width={bar} from={y(0)} to={y(next)} name="unseen" />
              <text x={middle} y={height - 4} textAnchor="middle">
                {dayText(next)}
              </text>
            </g>
          );
        })}
        <line className="st-track" x1={0} x2={width} y1={y(0)} y2={y(0)} />
      </svg>
    </figure>
  );
}

function dayText(ratio: number): string {
  return formatSignedRatio(ratio, 2);
}

function Bar({ x, width: wide, from, to, name }: { x: number; width: number; from: number; to: number; name: 'fitted' | 'unseen' }) {
  return (
    <rect className="st-walk-bar" data-of={name} x={x} width={wide} y={Math.min(from, to)} height={Math.max(1, Math.abs(to - from))} />
  );
}
