import { Button } from '../../ui/button.tsx';
import { useCopiedText } from '../../ui/use-copied-text.ts';

/** The secret of a new webhook, to be copied: it is not shown again. */
export function ShownSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const [note, copy] = useCopiedText();
  return (
    <div className="account-form">
      <p>The channel was added. Copy this secret to where its messages arrive: it is not shown again.</p>
      <code className="channel-secret" aria-label="Secret">
        {secret}
      </code>
      <p className="account-hint">
        The receiver checks webhook-signature over webhook-id, webhook-timestamp and the body, refuses times that are minutes old, and takes
        a webhook-id once.
      </p>
      <p className="account-hint" role="status">
        {note}
      </p>
      <div className="fl-dialog-actions">
        <Button variant="secondary" onClick={() => copy(secret)}>
          Copy
        </Button>
        <Button onClick={onClose}>I Have Stored It</Button>
      </div>
    </div>
  );
}
