# The chain-of-title policy. The service evaluates the same six rules in TypeScript (packages/core/src/verify/policy.ts)
# and says so in every reply; this file is for whoever wants to evaluate a statement with a policy engine of their own:
#   opa eval --input statement.json --data chain_of_title.rego 'data.orch.attest.chain_of_title'
package orch.attest.chain_of_title

import rego.v1

pin := {
	"predicate_type": "urn:orch:attest:chain-of-title:v1",
	"doctrine": "v11",
	"kernel_commit": "c7c0ba17",
}

default predicate_type_matches := false

predicate_type_matches if input.predicateType == pin.predicate_type

default doctrine_is_v11 := false

doctrine_is_v11 if input.predicate.doctrine == pin.doctrine

default kernel_verified := false

kernel_verified if input.predicate.provenance.kernel_verified == true

default honesty_invariants_all_true := false

honesty_invariants_all_true if {
	input.predicate.honesty_invariants.no_fabricated_measured == true
	input.predicate.honesty_invariants.lambda_is_conjecture_not_theorem == true
	input.predicate.honesty_invariants.locked8_immutable == true
}

default provenance_coverage_is_one := false

provenance_coverage_is_one if input.predicate.provenance.provenance_coverage == 1

default subject_binds_kernel_commit := false

# Every subject, so that a second one cannot ride along under the commit of the first.
subject_binds_kernel_commit if {
	count(input.subject) > 0
	every subject in input.subject {
		subject.digest.gitCommit == pin.kernel_commit
	}
}

default passed := false

passed if {
	predicate_type_matches
	doctrine_is_v11
	kernel_verified
	honesty_invariants_all_true
	provenance_coverage_is_one
	subject_binds_kernel_commit
}
