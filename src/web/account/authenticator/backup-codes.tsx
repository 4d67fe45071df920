import './authenticator.css';
import { Button } from '../../ui/button.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useCopiedText } from '../../ui/use-copied-text.ts';

/** Said of new backup codes that were cancelled while they were asked for. */
export const renewLeft = 'The backup codes you have may be void already: make new ones.';

/** Backup codes that were just made, to be stored: they are not shown again. */
export function BackupCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const [note, copy] = useCopiedText();
  const text = codes.join('\n');
  return (
    <div className="account-form">
      <p>
        Store these backup codes where you find them without your phone. Each signs in once in place of the app or a passkey. They are not
        shown again.
      </p>
      <ul className="backup-codes" aria-label="Backup codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p className="account-hint" role="status">
        {note}
      </p>
      <div className="fl-dialog-actions">
        <Button variant="secondary" onClick={() => copy(text)}>
          Copy
        </Button>
        <Button variant="secondary" onClick={() => saveFile('flotilla-backup-codes.txt', 'text/plain', `${text}\n`)}>
          Download
        </Button>
        <Button onClick={onClose}>I Have Stored Them</Button>
      </div>
    </div>
  );
}
