import { IconX } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../ui/button.tsx';

const CloseFromStatus = lazy(() => import('../by-hand/close-from-status.tsx').then((module) => ({ default: module.CloseFromStatus })));

/** Closes the open trade of the pair that is watched, after a question. */
export function CloseNow({ tradeId }: { tradeId: string }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <div className="mon-close">
      <Button variant="outlined-destructive" icon={<IconX size={14} aria-hidden />} disabled={isAsked} onClick={() => setAsked(true)}>
        Close now
      </Button>
      <Suspense fallback={null}>{isAsked ? <CloseFromStatus tradeId={tradeId} onCancel={() => setAsked(false)} /> : null}</Suspense>
    </div>
  );
}
