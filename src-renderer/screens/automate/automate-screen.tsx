export default function AutomateScreen(_: { section?: string }) {
  return <main id="content" className="work" tabIndex={-1} />
}
