import ts from 'typescript'

export interface KnownNames {
  readonly members: Set<string>
  readonly events: Set<string>
}

/** Interfaces and classes of electron.d.ts by name: their members, and the events of their `on` overloads. */
export function readElectronTypes(text: string): Map<string, KnownNames> {
  const source = ts.createSourceFile('electron.d.ts', text, ts.ScriptTarget.Latest)
  const found = new Map<string, KnownNames>()
  const visit = (node: ts.Node): void => {
    if ((ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) && node.name) {
      const name = node.name.text
      const known = found.get(name) ?? { members: new Set(), events: new Set() }
      found.set(name, known)
      for (const member of node.members) collect(member, known)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function collect(member: ts.ClassElement | ts.TypeElement, known: KnownNames): void {
  if (!member.name || !ts.isIdentifier(member.name)) return
  known.members.add(member.name.text)
  if (member.name.text !== 'on') return
  if (!ts.isMethodDeclaration(member) && !ts.isMethodSignature(member)) return
  const type = member.parameters[0]?.type
  if (type && ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal)) known.events.add(type.literal.text)
}
