//! Row 80, continued: rules with the libraries that Kubernetes adds to CEL.

use anyhow::Result;
use serde_json::{Value, json};

use crate::{own_kind::OwnKind, world::World};

/// Rules that every object keeps.
const KEPT: &[&str] = &[
    "isIP('127.0.0.1') && !isIP('127.0.0.256') && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0')",
    "ip('127.0.0.1').family() == 4 && ip('::1').family() == 6 && ip('::1').isLoopback()",
    "ip.isCanonical('2001:db8::abcd') && !ip.isCanonical('2001:DB8::ABCD')",
    "ip('2001:db8::1') == ip('2001:0DB8::1') && string(ip('::0')) == '::'",
    "ip('0.0.0.0').isUnspecified() && ip('224.0.0.1').isLinkLocalMulticast()",
    "ip('169.254.0.1').isLinkLocalUnicast() && ip('192.168.0.1').isGlobalUnicast()",
    "!ip('255.255.255.255').isGlobalUnicast() && !ip('ff02::1').isGlobalUnicast()",
    "isCIDR('192.168.0.0/24') && !isCIDR('192.168.0.0/33') && !isCIDR('192.168.0.0/08')",
    "cidr('192.168.0.0/24').containsIP('192.168.0.7') && !cidr('10.0.0.0/8').containsIP('11.0.0.1')",
    "cidr('192.168.0.0/24').containsIP(ip('192.168.0.7')) && !cidr('0.0.0.0/0').containsIP('::1')",
    "cidr('192.168.0.0/24').containsCIDR('192.168.0.0/25') && !cidr('10.0.0.0/8').containsCIDR('0.0.0.0/0')",
    "cidr('192.168.0.5/24').masked() == cidr('192.168.0.0/24')",
    "cidr('192.168.0.5/24').ip() == ip('192.168.0.5') && cidr('::1/128').prefixLength() == 128",
    "string(cidr('10.0.0.0/8')) == '10.0.0.0/8'",
    "isQuantity('1.3Gi') && isQuantity('1e3') && !isQuantity('1,3G') && !isQuantity('10000kk')",
    "quantity('50k').asInteger() == 50000 && quantity('1Ki').asInteger() == 1024",
    "quantity('100m').isLessThan(quantity('1')) && quantity('200M').compareTo(quantity('0.2G')) == 0",
    "quantity('150Mi').isGreaterThan(quantity('100Mi')) && sign(quantity('-1')) == -1",
    "quantity('50k').add('20k' == '' ? quantity('1') : quantity('20k')) == quantity('70k')",
    "quantity('50k').sub(20000) == quantity('30k') && quantity('1m').asApproximateFloat() == 0.001",
    "!quantity('0.5').isInteger() && !quantity('9999999999999999999999999999999999999G').isInteger()",
    "isURL('https://user:pass@example.com:80/') && isURL('/path') && !isURL('../path') && !isURL('https://a:b:c/')",
    "url('https://example.com:80/a%20b?k=1&k=2&e').getHost() == 'example.com:80'",
    "url('https://[::1]:8/').getHostname() == '::1' && url('https://[::1]:8/').getPort() == '8'",
    "url('HTTPS://example.com').getScheme() == 'https' && url('/p').getHost() == ''",
    "url('https://example.com/a b/%20?x#y').getEscapedPath() == '/a%20b/%20'",
    "url('/?k=a&k=b+c&e').getQuery() == {'k': ['a', 'b c'], 'e': ['']}",
    "url('https://example.com') == url('https://example.com')",
    "!format.dns1123Label().validate('my-label').hasValue() && format.dns1123Label().validate('a.b').value() == ['must not contain dots']",
    "!format.dns1123Subdomain().validate('a.b-c').hasValue() && format.dns1123Subdomain().validate('A').value()[0].startsWith('a lowercase RFC 1123 subdomain must consist of')",
    "!format.dns1035Label().validate('a1').hasValue() && format.dns1035Label().validate('1a').value()[0].startsWith('a DNS-1035 label must consist of')",
    "!format.qualifiedName().validate('a.b/C_d').hasValue() && format.qualifiedName().validate('/').value().size() == 3",
    "!format.dns1123LabelPrefix().validate('a-').hasValue() && format.dns1123LabelPrefix().validate('-').hasValue()",
    "!format.dns1123SubdomainPrefix().validate('a.b.-').hasValue() && !format.dns1035LabelPrefix().validate('a-').hasValue()",
    "!format.labelValue().validate('').hasValue() && format.labelValue().validate('a b').hasValue()",
    "!format.uri().validate('http://example.com').hasValue() && format.uri().validate('../a').value() == ['parse \"../a\": invalid URI for request'] && format.uri().validate('').value() == ['parse \"\": empty url']",
    "!format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue() && format.uuid().validate('1').value() == ['does not match the UUID format']",
    "!format.byte().validate('aGVsbG8=').hasValue() && format.byte().validate('§').value() == ['invalid base64']",
    "!format.date().validate('2021-01-01').hasValue() && format.date().validate('2021-02-30').value() == ['invalid date']",
    "!format.datetime().validate('2021-01-01T00:00:00Z').hasValue() && format.datetime().validate('2021').value() == ['invalid datetime']",
    "format.named('dns1123Label').hasValue() && !format.named('dns1123label').hasValue() && !format.named('named').hasValue()",
    "!format.named('dns1123Label').value().validate('a'.replace('a', 'aaaaaaaa')).hasValue()",
    "format.dns1123Label().validate('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA').value().size() == 2",
    "format.dns1035Label().validate('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa').value() == ['must be no more than 63 characters']",
    "format.labelValue().validate('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa').value() == ['must be no more than 63 bytes']",
    "['x', 'Y'].filter(format, format.matches('[a-z]')) == ['x']",
];

/// A kind with all of them, and an object of it.
pub(super) async fn kept(world: &World<'_>) -> Result<()> {
    let kind = OwnKind::new(world);
    let namespace = world.namespace().await?;
    let rules: Vec<Value> = KEPT.iter().map(|rule| json!({ "rule": rule })).collect();
    let definition = kind.definition_with(json!({"type": "object", "properties": {
        "spec": {"type": "object", "x-kubernetes-validations": rules}}}));
    kind.install(world, &definition).await?;
    let created = world.post(&kind.things(&namespace), &kind.thing("a", json!({}))).await?.is(201);
    kind.remove(world).await?;
    created.map(drop)
}
