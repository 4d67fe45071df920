import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { onDemand } from '../ui/on-demand.tsx';

const CloseFromStatus = onDemand(() => import('../by-hand/close-from-status.tsx').then((module) => module.CloseFromStatus));

/** Closes the open trade of the pair that is watched, after a question. */
export function CloseNow({ tradeId }: { tradeId: string }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <div className="mon-close">
      <Button variant="outlined-destructive" icon={<IconX size={14} aria-hidden />} disabled={isAsked} onClick={() => setAsked(true)}>
        Close now
      </Button>
      {isAsked ? <CloseFromStatus tradeId={tradeId} onCancel={() => setAsked(false)} /> : null}
    </div>
  );
}
