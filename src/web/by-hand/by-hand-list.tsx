import './by-hand.css';
import { CardPanel } from '../ui/card-panel.tsx';
import { formatTimeOfDay } from '../ui/moment.ts';
import type { ManualAction } from './by-hand-words.ts';
import { actionText } from './by-hand-words.ts';
import { Outcome } from './outcome.tsx';

/** What people have asked of a trade by hand, newest first; nothing when nobody has. */
export function ByHandList({ actions, priceTick }: { actions: readonly ManualAction[]; priceTick: number | null }) {
  if (actions.length === 0) return null;
  return (
    <CardPanel title="By Hand">
      <ul className="hand-list" aria-label="By hand">
        {actions.map((action) => (
          <li key={action.action_id}>
            <p className="fl-number">{actionText(action, priceTick)}</p>
            <p className="hand-who fl-number">
              {action.asked_by ?? 'a deleted account'}, {formatTimeOfDay(action.asked_at)}
            </p>
            <Outcome action={action} />
          </li>
        ))}
      </ul>
    </CardPanel>
  );
}
