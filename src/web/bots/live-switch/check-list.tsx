import { IconAlertTriangle, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { useState } from 'react';
import { checkLines } from './check-lines.ts';
import type { LiveCheck } from './use-live-check.ts';

const icons = { good: IconCircleCheck, bad: IconAlertTriangle, unknown: IconCircleDashed } as const;
const words = { good: 'right', bad: 'wrong', unknown: 'not known' } as const;

/** What was checked, each with its figure. */
export function CheckList({ check, savesKey }: { check: LiveCheck; savesKey: boolean }) {
  const [openedAt] = useState(() => Date.now());
  return (
    <ul className="live-checks fl-number" aria-label="Checks">
      {checkLines(check, openedAt, savesKey).map(({ name, value, tone }) => {
        const Icon = icons[tone];
        return (
          <li key={name} className={`live-check-${tone}`}>
            <Icon size={15} role="img" aria-label={words[tone]} />
            <span>{name}</span>
            <span>{value}</span>
          </li>
        );
      })}
    </ul>
  );
}
